import uuid

from bindery.api.shown_quotes import ShownQuotes

ONE, TWO, THREE = (uuid.UUID(int=number) for number in (1, 2, 3))


def test_an_answer_holds_for_the_version_it_shows_and_no_other() -> None:
    shown = ShownQuotes()

    shown.keep(ONE, 4, b"four")

    assert shown.find(ONE, 4) == b"four"
    assert shown.find(ONE, 5) is None
    assert shown.find(TWO, 4) is None


def test_the_answer_of_a_newer_version_takes_the_place_of_the_older() -> None:
    shown = ShownQuotes(most=2)
    shown.keep(ONE, 4, b"four")
    shown.keep(TWO, 1, b"two")

    shown.keep(ONE, 5, b"five")

    assert [shown.find(ONE, 4), shown.find(ONE, 5), shown.find(TWO, 1)] == [None, b"five", b"two"]


def test_the_answer_longest_not_asked_for_goes() -> None:
    shown = ShownQuotes(most=2)
    shown.keep(ONE, 1, b"one")
    shown.keep(TWO, 1, b"two")
    shown.find(ONE, 1)

    shown.keep(THREE, 1, b"three")

    assert [shown.find(quote_id, 1) for quote_id in (ONE, TWO, THREE)] == [b"one", None, b"three"]
