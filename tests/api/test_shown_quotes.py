import uuid

from bindery.api.shown_quotes import ShownQuotes
from bindery.contract.vocabulary import QuoteStatus
from bindery.storage.quote_view import Glance


def state(number: int, version: int = 1) -> Glance:
    return Glance(uuid.UUID(int=number), QuoteStatus.PUBLISHED, version, None, None, uuid.UUID(int=0))


def test_an_answer_holds_for_the_state_it_shows_and_no_other() -> None:
    shown = ShownQuotes()

    shown.keep(state(1, version=4), b"four")

    assert shown.find(state(1, version=4)) == b"four"
    assert shown.find(state(1, version=5)) is None
    assert shown.find(state(2, version=4)) is None


def test_the_answer_longest_not_asked_for_goes() -> None:
    shown = ShownQuotes(most=2)
    shown.keep(state(1), b"one")
    shown.keep(state(2), b"two")
    shown.find(state(1))

    shown.keep(state(3), b"three")

    assert [shown.find(state(number)) for number in (1, 2, 3)] == [b"one", None, b"three"]
