"""Refusals that name the next step, and names that are guessed."""

import pytest

from bindery.base.errors import WrongState
from bindery.base.nearest import nearest
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.quote.lifecycle import Trigger, find_move


def test_withdrawing_a_bound_quote_names_what_ends_a_policy() -> None:
    with pytest.raises(WrongState) as refused:
        find_move(QuoteStatus.POLICY_ACTIVE, Trigger.WITHDRAW)

    assert refused.value.message.endswith("request_cancellation asks for the end of its policy.")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("quote_id", "quote_identifier"),
        ("status", "quote_status"),
        ("cancel", "request_cancellation"),
        ("revenu", "revenue"),
        ("re", None),
        ("zzz", None),
        ("", None),
    ],
)
def test_a_name_is_guessed_by_its_words_where_only_one_fits(name: str, meant: str | None) -> None:
    known = ["quote_identifier", "quote_status", "request_cancellation", "request_renewal", "revenue"]

    assert nearest(name, known) == meant
