from bindery.outside.passwords import Passwords


async def test_a_password_is_hashed_at_the_cost_that_owasp_recommends() -> None:
    passwords = Passwords()

    hashed = await passwords.hash("correct horse battery staple")

    assert hashed.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert await passwords.check(hashed, "correct horse battery staple")
    assert not await passwords.check(hashed, "correct horse battery stable")


async def test_an_account_without_a_password_is_refused_any() -> None:
    assert not await Passwords().check(None, "nobody's")


async def test_what_is_no_hash_matches_nothing() -> None:
    assert not await Passwords().check("plain", "plain")
