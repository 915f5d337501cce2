import pytest

from bindery.base.errors import Misconfigured
from bindery.outside.sealing import Sealer

OLD, NEW = "an-old-key-of-the-tests-0123456789-abcdef", "a-new-key-of-the-tests-0123456789-abcdef"


def test_what_is_sealed_opens_again_and_shows_nothing() -> None:
    sealer = Sealer([NEW])

    sealed = sealer.seal(b"the secret itself", owner="partner 1")

    assert sealer.open(sealed, owner="partner 1") == b"the secret itself"
    assert b"secret" not in sealed


def test_the_same_secret_is_never_sealed_alike() -> None:
    sealer = Sealer([NEW])

    assert sealer.seal(b"secret", owner="a") != sealer.seal(b"secret", owner="a")


def test_another_owner_cannot_open_it() -> None:
    sealer = Sealer([NEW])
    sealed = sealer.seal(b"secret", owner="partner 1")

    with pytest.raises(Misconfigured, match="changed, or moved"):
        sealer.open(sealed, owner="partner 2")


@pytest.mark.parametrize("place", [4, 20, -1])
def test_a_changed_byte_is_found(place: int) -> None:
    sealer = Sealer([NEW])
    sealed = bytearray(sealer.seal(b"secret", owner="a"))
    sealed[place] ^= 1

    with pytest.raises(Misconfigured, match="changed, or moved"):
        sealer.open(bytes(sealed), owner="a")


def test_a_former_key_still_opens_and_the_newest_seals() -> None:
    sealed_before = Sealer([OLD]).seal(b"secret", owner="a")

    rotated = Sealer([NEW, OLD])

    assert rotated.open(sealed_before, owner="a") == b"secret"
    assert rotated.seal(b"secret", owner="a").startswith(Sealer([NEW]).newest_key_name)
    assert Sealer([NEW]).open(rotated.seal(b"secret", owner="a"), owner="a") == b"secret"


def test_without_the_former_key_the_sentence_says_what_to_set() -> None:
    sealed_before = Sealer([OLD]).seal(b"secret", owner="a")

    with pytest.raises(Misconfigured, match="BINDERY_OLD_SECRET_KEYS"):
        Sealer([NEW]).open(sealed_before, owner="a")
