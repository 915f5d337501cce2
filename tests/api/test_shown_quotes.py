import uuid

from bindery.api.call import ShownQuotes
from bindery.http.representation import Representation

FOUR, FIVE, A, B, C = (Representation(text, "text/plain") for text in (b"4", b"5", b"a", b"b", b"c"))
ONE, TWO, THREE = (uuid.UUID(int=number) for number in (1, 2, 3))


def test_an_answer_holds_for_the_version_it_shows_and_no_other() -> None:
    shown = ShownQuotes()

    shown.keep(ONE, 4, FOUR)

    assert shown.find(ONE, 4) is FOUR
    assert shown.find(ONE, 5) is None
    assert shown.find(TWO, 4) is None


def test_the_answer_of_a_newer_version_takes_the_place_of_the_older() -> None:
    shown = ShownQuotes(most=2)
    shown.keep(ONE, 4, FOUR)
    shown.keep(TWO, 1, B)

    shown.keep(ONE, 5, FIVE)

    assert [shown.find(ONE, 4), shown.find(ONE, 5), shown.find(TWO, 1)] == [None, FIVE, B]


def test_the_answer_longest_not_asked_for_goes() -> None:
    shown = ShownQuotes(most=2)
    shown.keep(ONE, 1, A)
    shown.keep(TWO, 1, B)
    shown.find(ONE, 1)

    shown.keep(THREE, 1, C)

    assert [shown.find(quote_id, 1) for quote_id in (ONE, TWO, THREE)] == [A, None, C]
