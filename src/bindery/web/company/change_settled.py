"""The changes of a policy: the list of them, and an open one that is accepted or taken back."""

import uuid
from dataclasses import dataclass

from starlette.responses import Response

from bindery.actions.policy.change_policy import accept_change, withdraw_change
from bindery.actions.policy.price_of_change import policy_now
from bindery.base.errors import BinderyError, NotFound
from bindery.contract.changes import ChangeStatus
from bindery.domain.access.caller import Caller
from bindery.domain.access.users import Role
from bindery.domain.documents.endorsing import changed_items
from bindery.domain.documents.notices import ChangedItem
from bindery.domain.policy.changing import is_changeable
from bindery.domain.policy.kept_change import KeptChange
from bindery.storage.policy import changes, policies
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.company.book import see_quote
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit
from bindery.web.shown.policy_changes import (
    asked_by,
    by,
    change_in_words,
    listed_change,
    outcome_of,
    price_rows,
)
from bindery.web.shown.words import Times, day, refusal_in_words


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeHead:
    name: str
    policy: str
    company: str
    quote_id: str
    back: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenChange:
    """A change as it was found; `items` of one that is open."""

    record: QuoteRecord
    times: Times
    change: KeptChange
    items: tuple[ChangedItem, ...]

    @property
    def where(self) -> str:
        return f"/policy/{self.record.quote.quote_id}/changes"


async def show_changes(visit: Visit) -> Response:
    async with visit.runtime.database.reading() as tx:
        record = await see_quote(tx, visit.path_id("quote_id"), partner_id=visit.partner_id)
        found = await changes.of_policy(tx, record.quote.quote_id)
    times = visit.times(tx.now)
    is_broker = visit.user.role is Role.BROKER
    has_open = any(change.status_on(tx.today) in changes.OPEN for change in found)
    may_change = is_broker and is_changeable(
        record.quote.status, record.term, tx.today, is_issued=record.is_issued
    )
    return page(
        visit,
        "company/policy_changes.html",
        head=head_of(record),
        rows=tuple(listed_change(change, times) for change in found),
        may_settle=is_broker,
        may_change=may_change and not has_open,
    )


async def show_accept(visit: Visit) -> Response:
    return await _sure(visit, "company/accept_change.html", {ChangeStatus.QUOTED})


async def send_accept(visit: Visit) -> Response:
    """Accept a change at its price; whoever comes second is told what became of it."""
    seen = await _open(visit)
    quote, runtime = seen.record.quote, visit.runtime
    before = seen.change.status_on(seen.times.today)
    caller = Caller(partner_id=quote.partner_id, actor=visit.actor)
    try:
        await accept_change(runtime.database, runtime.rules, caller, quote.quote_id, seen.change.change_id)
    except BinderyError as fault:
        return await _refused(visit, fault)
    after = (await _open(visit)).change
    said = came_of_it(after) if before is ChangeStatus.QUOTED else await _standing(visit)
    return await visit.done(seen.where, said)


async def show_withdraw(visit: Visit) -> Response:
    return await _sure(visit, "company/withdraw_change.html", {*changes.OPEN})


async def send_withdraw(visit: Visit) -> Response:
    seen = await _open(visit)
    quote = seen.record.quote
    caller = Caller(partner_id=quote.partner_id, actor=visit.actor)
    try:
        await withdraw_change(visit.runtime.database, caller, quote.quote_id, seen.change.change_id)
    except BinderyError as fault:
        return await _refused(visit, fault)
    return await visit.done(seen.where, await _standing(visit))


def came_of_it(change: KeptChange) -> str:
    """Return what became of a change that was accepted."""
    on = day(change.effective)
    if change.status is ChangeStatus.REFERRED:
        why = "; ".join(referral.text for referral in change.priced.referrals)
        return f"The change from {on} is sent to an underwriter: {why}. Until then the policy stays as it is."
    price = f" for {by(change.priced.total)}" if change.priced.total else ""
    number = change.endorsement
    return f"The policy is changed from {on} on{price}. Endorsement {number} is among its documents."


async def _open(visit: Visit) -> OpenChange:
    async with visit.runtime.database.reading() as tx:
        record = await see_quote(tx, visit.path_id("quote_id"), partner_id=visit.partner_id)
        change = await changes.find(tx, record.quote.quote_id, _change_id(visit))
        if change is None:
            raise NotFound("There is no such change.")
        items: tuple[ChangedItem, ...] = ()
        if change.status in changes.OPEN:
            now = await policy_now(tx, record.quote, await policies.get(tx, record.quote.quote_id))
            items = tuple(changed_items(record.quote, now.insured, change.asked, change.priced))
    return OpenChange(record=record, times=visit.times(tx.now), change=change, items=items)


def _change_id(visit: Visit) -> uuid.UUID:
    return visit.path_id("change_id")


async def _standing(visit: Visit) -> str:
    seen = await _open(visit)
    return change_in_words(seen.change, seen.times)


async def _refused(visit: Visit, fault: BinderyError) -> Response:
    seen = await _open(visit)
    is_over = seen.change.status_on(seen.times.today) not in changes.OPEN
    why = change_in_words(seen.change, seen.times) if is_over else refusal_in_words(fault)
    return await visit.done(seen.where, f"\N{WARNING SIGN} Nothing was done. {why}")


async def _sure(visit: Visit, template: str, statuses: set[ChangeStatus]) -> Response:
    """Show a change with what follows from the one button; one that is not open to it leads to the list."""
    seen = await _open(visit)
    if seen.change.status_on(seen.times.today) not in statuses:
        return await visit.done(
            seen.where, f"\N{CIRCLED LATIN SMALL LETTER I} {change_in_words(seen.change, seen.times)}"
        )
    priced = seen.change.priced
    return page(
        visit,
        template,
        head=head_of(seen.record),
        change=listed_change(seen.change, seen.times),
        asked=asked_by(seen.change, seen.times),
        until=day(seen.change.valid_until),
        items=seen.items,
        price=price_rows(priced),
        total=by(priced.total),
        outcome=outcome_of(priced),
        path=f"{seen.where}/{seen.change.change_id}",
    )


def head_of(record: QuoteRecord) -> ChangeHead:
    return ChangeHead(
        name=str(record.client["name"]),
        policy=record.policy_number or "",
        company=f"/quote/{record.quote.quote_id}",
        quote_id=str(record.quote.quote_id),
        back=f"/policy/{record.quote.quote_id}/changes",
    )
