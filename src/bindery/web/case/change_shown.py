"""The change of a policy that waits on a case: what it would be, what it comes to, and why it waits."""

from collections.abc import Sequence
from dataclasses import dataclass

from bindery.actions.policy.change_policy import waiting_change
from bindery.actions.policy.price_of_change import policy_now
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.documents.endorsing import changed_items
from bindery.domain.documents.notices import ChangedItem
from bindery.domain.policy.change_ask import InsuredNow
from bindery.domain.policy.kept_change import KeptChange
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Reader
from bindery.storage.policy import policies
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.shown.policy_changes import by, price_rows
from bindery.web.shown.words import day


@dataclass(frozen=True, slots=True)
class WaitingChange:
    """A change that an underwriter decides on, with the policy as it is without it."""

    quote: Quote
    change: KeptChange
    now: InsuredNow


@dataclass(frozen=True, slots=True)
class ShownPolicyChange:
    change_id: str
    quote_id: str
    effective: str
    reason: str
    items: tuple[ChangedItem, ...]
    reasons: tuple[str, ...]
    rows: tuple[tuple[str, str], ...]
    total: str


def shown_change(waiting: WaitingChange) -> ShownPolicyChange:
    change, priced = waiting.change, waiting.change.priced
    return ShownPolicyChange(
        change_id=str(change.change_id),
        quote_id=str(change.quote_id),
        effective=day(change.effective),
        reason=change.asked.reason,
        items=tuple(changed_items(waiting.quote, waiting.now, change.asked, priced)),
        reasons=tuple(referral.text for referral in priced.referrals),
        rows=price_rows(priced),
        total=by(priced.total),
    )


async def read_waiting_change(tx: Reader, seen: Sequence[QuoteRecord]) -> WaitingChange:
    quote = next(record.quote for record in seen if record.quote.status is QuoteStatus.POLICY_ACTIVE)
    now = await policy_now(tx, quote, await policies.get(tx, quote.quote_id))
    return WaitingChange(quote, await waiting_change(tx, quote), now.insured)
