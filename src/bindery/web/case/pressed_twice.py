"""Whether a decision is the one that the same person has just made: a button that was pressed twice."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import msgspec

from bindery.base.errors import BinderyError
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import JournalEntry
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.case.case_forms import DecisionForm, whole

SEND: Final = "send-"
"""What a button's value begins with that sends a decision to a colleague instead of taking it."""
SENT: Final = "sent"
PRESSED_TWICE: Final = timedelta(seconds=10)
"""Within this time the same decision by the same user is one decision."""
TRIGGERS_OF: Final[Mapping[str, frozenset[str]]] = {
    "approve": frozenset({Trigger.APPROVE_REFERRAL, Trigger.BIND}),
    "amend": frozenset({Trigger.AMEND}),
    "withdraw": frozenset({Trigger.REVOKE}),
    SENT: frozenset({Trigger.ASK_COLLEAGUE}),
    "decline": frozenset({Trigger.DECLINE}),
    "send_back": frozenset({Trigger.SEND_BACK, Trigger.SEND_BACK_OFFER}),
    "cancel": frozenset({Trigger.CANCEL}),
    "decline_cancellation": frozenset({Trigger.DECLINE_CANCELLATION}),
    "reinstate": frozenset({Trigger.REINSTATE}),
}
WITH_TERMS: Final = frozenset({Trigger.APPROVE_REFERRAL, Trigger.AMEND})
IN_OTHER_WORDS: Final = frozenset({Trigger.CANCEL})
"""Steps that record their reason in words of a list, not those that were typed."""


def is_pressed_twice(
    actor: str,
    form: DecisionForm,
    given: Mapping[str, str],
    picked: Sequence[QuoteRecord],
    entries: Iterable[JournalEntry],
    *,
    now: datetime,
) -> bool:
    """Whether this user has just made this very decision: another one, from another tab, has to be told."""
    triggers = TRIGGERS_OF.get(SENT if form.decision.startswith(SEND) else form.decision, frozenset())
    newest: dict[object, JournalEntry] = {}
    for entry in sorted(entries, key=lambda entry: entry.entry):
        if entry.actor == actor and entry.trigger in triggers and entry.at >= now - PRESSED_TWICE:
            newest[entry.quote_id] = entry
    return all(
        (made := newest.get(record.quote.quote_id)) is not None and _is_same(form, given, record, made)
        for record in picked
    )


def _is_same(form: DecisionForm, given: Mapping[str, str], record: QuoteRecord, entry: JournalEntry) -> bool:
    said: dict[str, Any] = msgspec.json.decode(entry.data) if entry.data else {}
    reason: str = said.get("reason") or said.get("sent_back") or ""
    if entry.trigger not in IN_OTHER_WORDS and reason.split() != form.reason.split():
        return False
    if entry.trigger not in WITH_TERMS:
        return True
    quote, number = record.quote, str(record.quote.quote_id)
    try:
        changed, shown = form.changed(number), whole(given.get(f"shown_premium-{number}", ""), "premium")
    except BinderyError:
        return False
    terms = quote.terms or quote.ask.as_terms()
    retentions = (
        (changed.aggregate_retention, terms.aggregate_retention),
        (changed.per_claim_retention, terms.per_claim_retention),
    )
    owed = {contingency.text for contingency in record.contingencies}
    return (
        (changed.premium or shown) in {None, said.get("premium")}
        and all(typed in {None, now} for typed, now in retentions)
        and (not form.contingency_text or form.contingency_text in owed)
    )
