"""What is said of statuses and steps."""

from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import CREATE
from bindery.web.shown.history import SENTENCES
from bindery.web.shown.words import STATUS_WORDS


def test_every_status_has_its_word_and_every_step_its_sentence() -> None:
    assert set(STATUS_WORDS) == set(QuoteStatus)
    assert set(SENTENCES) == {CREATE, *Trigger}
    for say in SENTENCES.values():
        assert say({"closed": "1"})
