"""`bindery user`: the accounts of the platform, as an operator keeps them from the command line."""

from urllib.parse import urlsplit

import pytest

from bindery.domain.access.users import Role
from support.people import Person, new_browser, sign_in_as
from support.processes import Ended, Program
from support.service import SECRET, Service

PASSWORD, ANOTHER = "a pass phrase that is long", "quite another pass phrase"
UMA = "uma@example.com"
WRONG = "The address or the password is wrong."


@pytest.fixture
def operator(program: Program, service: Service) -> Program:
    """The command line on the database of a service."""
    program.variables["BINDERY_SECRET_KEY"] = SECRET
    return program


def add(operator: Program, email: str, *more: str, password: str = PASSWORD) -> Ended:
    return operator.run("user", "add", email, *more, "--password-stdin", stdin=f"{password}\n")


async def try_to_sign_in(service: Service, password: str) -> Person:
    """Try to sign in as Uma; the browser is signed in if the password was right."""
    person = Person(new_browser(service), UMA)
    await person.post("/sign-in", email=UMA, password=password)
    return person


async def is_in(person: Person) -> bool:
    return (await person.http.get("/desk")).status_code == 200


def test_a_user_is_told_to_sign_in_where_the_demo_listens(operator: Program) -> None:
    operator.data.mkdir(exist_ok=True)
    (operator.data / "demo_url").write_text("http://127.0.0.1:8123/v2\n")

    added = add(operator, "Uma@Example.com", "--role", "underwriter").good()

    assert added == f"{UMA} can sign in as underwriter at http://127.0.0.1:8123/sign-in.\n"


async def test_users_are_added_and_listed_by_role_and_address(operator: Program, service: Service) -> None:
    none = operator.run("user", "list").good()
    added = add(operator, "Uma@Example.com", "--role", "underwriter", "--name", "Uma").good()
    add(operator, "bo@example.com", "--role", "broker", "--partner", service.partner.name).good()
    shown = add(operator, "ann@example.com", "--role", "underwriter", "--json").json()
    async with await try_to_sign_in(service, PASSWORD) as uma:
        assert await is_in(uma)

    head, *lines = operator.run("user", "list").good().splitlines()
    listed = operator.run("user", "list", "--json").json()

    assert none == "No users yet: bindery user add EMAIL --role operator\n"
    assert added == f"{UMA} can sign in as underwriter at http://127.0.0.1:8000/sign-in.\n"
    assert shown == {"email": "ann@example.com", "name": "ann", "role": "underwriter"}
    assert head.split() == ["EMAIL", "NAME", "ROLE", "PARTNER", "ADDED", "LAST", "SEEN", "TWO-STEP", "STATE"]
    assert [line.split()[:3] for line in lines] == [
        ["bo@example.com", "bo", "broker"],
        ["ann@example.com", "ann", "underwriter"],
        [UMA, "Uma", "underwriter"],
    ]
    assert lines[0].split()[3] == service.partner.name
    assert [row["partner_name"] for row in listed] == [service.partner.name, None, None]
    assert [row["seen_at"] is None for row in listed] == [True, True, False]


async def test_a_disabled_user_is_signed_out_and_cannot_sign_in(operator: Program, service: Service) -> None:
    add(operator, UMA, "--role", "underwriter").good()
    async with await try_to_sign_in(service, PASSWORD) as uma:
        assert await is_in(uma)

        said = operator.run("user", "disable", "UMA@example.com").good()

        assert not await is_in(uma)
        assert WRONG in await uma.send("/sign-in", status=422, email=UMA, password=PASSWORD)
    (line,) = operator.run("user", "list").good().splitlines()[1:]
    (before,) = operator.run("user", "list", "--json").json()
    again = operator.run("user", "disable", UMA).good()
    (after,) = operator.run("user", "list", "--json").json()
    assert said == f"{UMA} is disabled.\n"
    assert again == f"{UMA} is disabled already.\n"
    assert line.split()[-1] == "disabled"
    assert before["disabled_at"] == after["disabled_at"] is not None
    assert await service.count("sign_ins") == 0


async def test_the_only_operator_who_was_disabled_is_enabled_and_signs_in_as_before(
    operator: Program, service: Service
) -> None:
    add(operator, UMA, "--role", "operator").good()
    (before,) = await service.runtime.database.pool.fetch("select * from users")
    operator.run("user", "disable", UMA).good()
    async with await try_to_sign_in(service, PASSWORD) as uma:
        assert (await uma.http.get("/ops")).status_code != 200

    said = operator.run("user", "enable", "UMA@example.com").good()

    assert said == f"{UMA} is enabled again.\n"
    async with await try_to_sign_in(service, PASSWORD) as uma:
        assert (await uma.http.get("/ops")).status_code == 200
        assert await service.runtime.database.pool.fetch("select * from users") == [before]
        again = operator.run("user", "enable", UMA).good()
        assert again == f"{UMA} is enabled already.\n"
        assert (await uma.http.get("/ops")).status_code == 200, "nobody is signed out"


async def test_a_user_disabled_on_the_page_is_enabled_by_the_command_and_the_other_way_round(
    operator: Program, service: Service
) -> None:
    add(operator, UMA, "--role", "underwriter").good()
    async with await sign_in_as(service, Role.OPERATOR) as ollie:
        user_id = await service.runtime.database.pool.fetchval(
            "select user_id from users where email = $1", UMA
        )
        page = f"/ops/users/{user_id}"

        await ollie.send(page, change="disable")
        by_command = operator.run("user", "enable", UMA).good()
        after_command = await ollie.open(page)
        operator.run("user", "disable", UMA).good()
        await ollie.send(page, change="enable")
        by_page = operator.run("user", "enable", UMA).good()

    assert (by_command, by_page) == (f"{UMA} is enabled again.\n", f"{UMA} is enabled already.\n")
    assert 'value="disable"' in after_command


async def test_a_reset_signs_out_and_only_the_new_password_opens_the_account(
    operator: Program, service: Service
) -> None:
    add(operator, UMA, "--role", "underwriter").good()
    async with await try_to_sign_in(service, PASSWORD) as uma:
        assert await is_in(uma)

        said = operator.run("user", "reset", UMA, "--password-stdin", stdin=f"{ANOTHER}\n").good()

        assert said == f"{UMA} has a new password.\n"
        assert not await is_in(uma)
    async with await try_to_sign_in(service, PASSWORD) as uma:
        assert not await is_in(uma)
    async with await try_to_sign_in(service, ANOTHER) as uma:
        assert await is_in(uma)


async def test_two_step_sign_in_is_turned_off_for_who_lost_the_phone(
    operator: Program, service: Service
) -> None:
    add(operator, UMA, "--role", "underwriter").good()
    await service.runtime.database.pool.execute(
        "insert into two_step (user_id, sealed, created_at, confirmed_at) "
        "select user_id, 'sealed', now(), now() from users"
    )
    listed = operator.run("user", "list").good()

    said = [operator.run("user", "two-step-off", UMA).good() for _ in range(2)]

    assert " on" in listed
    assert said == [f"Two-step sign-in of {UMA} is off.\n", f"Two-step sign-in of {UMA} is off already.\n"]
    assert await service.count("two_step") == 0
    kinds = await service.runtime.database.pool.fetch("select kind from mails")
    assert [row["kind"] for row in kinds] == ["two_step_off"]


async def test_a_disabled_user_gets_no_new_password(operator: Program, service: Service) -> None:
    add(operator, UMA, "--role", "underwriter").good()
    operator.run("user", "disable", UMA).good()
    pool = service.runtime.database.pool
    (before,) = await pool.fetch("select password_hash, disabled_at from users")

    refused = operator.run("user", "reset", UMA, "--password-stdin", stdin=f"{ANOTHER}\n")

    assert refused.complaint == (
        f"{UMA} has been disabled since {before['disabled_at']:%Y-%m-%d}; "
        f"`bindery user enable {UMA}` enables it."
    )
    assert await pool.fetch("select password_hash, disabled_at from users") == [before]


async def test_what_is_wrong_with_an_account_is_said_and_nothing_is_changed(
    operator: Program, service: Service
) -> None:
    add(operator, UMA, "--role", "underwriter").good()
    before = await service.runtime.database.pool.fetch("select * from users")
    nobody = "There is no user 'nobody@example.com'; `bindery user list` shows them."

    refused = {
        "disable nobody": operator.run("user", "disable", "nobody@example.com"),
        "enable nobody": operator.run("user", "enable", "nobody@example.com"),
        "two-step-off nobody": operator.run("user", "two-step-off", "nobody@example.com"),
        "reset nobody": operator.run(
            "user", "reset", "nobody@example.com", "--password-stdin", stdin=f"{ANOTHER}\n"
        ),
        "weak reset": operator.run("user", "reset", UMA, "--password-stdin", stdin="short\n"),
        "twice": add(operator, "Uma@example.com", "--role", "underwriter"),
        "no partner": add(operator, "bo@example.com", "--role", "broker"),
        "weak": add(operator, "bo@example.com", "--role", "operator", password="short"),
    }

    said = {name: ended.stderr for name, ended in refused.items()}
    assert {ended.code for ended in refused.values()} == {2}, said
    assert {
        refused[f"{what} nobody"].complaint for what in ("disable", "enable", "two-step-off", "reset")
    } == {nobody}
    assert "must have at least 12 characters" in said["weak reset"]
    assert "has an account already" in said["twice"]
    assert "is required for a broker" in said["no partner"]
    assert "must have at least 12 characters" in said["weak"]
    assert await service.runtime.database.pool.fetch("select * from users") == before


async def test_without_a_password_the_link_is_printed_and_its_owner_chooses_one(
    operator: Program, service: Service
) -> None:
    said = operator.run("user", "add", UMA, "--role", "underwriter").good().splitlines()
    again = operator.run("user", "invite", UMA, "--json").json()
    first, link = said[-1], again["link"]
    async with Person(new_browser(service), UMA) as uma:
        await uma.open(urlsplit(first).path, status=410)
        await uma.send(urlsplit(link).path, password=ANOTHER)
    taken = operator.run("user", "invite", UMA)

    assert said[0].startswith(f"{UMA} chooses a password with this link, which works once, until 20")
    async with await try_to_sign_in(service, ANOTHER) as uma:
        assert await is_in(uma)
    assert taken.complaint == f"{UMA} has a password already."


async def test_an_invitation_is_taken_back_once(operator: Program, service: Service) -> None:
    link = operator.run("user", "add", UMA, "--role", "underwriter", "--json").json()["link"]

    back = [operator.run("user", "invite", UMA, "--take-back").good() for _ in range(2)]

    assert back == [
        f"The invitation of {UMA} is taken back: its link works no more.\n",
        f"The invitation of {UMA} was none that works any more.\n",
    ]
    async with Person(new_browser(service), UMA) as uma:
        await uma.open(urlsplit(link).path, status=410)
