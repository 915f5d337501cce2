"""Changing a policy from a form: asked for and accepted in one step, at the price that was seen."""

import uuid
from dataclasses import dataclass

from bindery.actions.policy.change_policy import check_none_open, issue_or_refer, keep_change
from bindery.actions.policy.price_of_change import price_of_change
from bindery.actions.quote.advance_quote import lock_quote
from bindery.contract.changes import PolicyChangeAsk
from bindery.domain.business_rules import BusinessRules
from bindery.domain.policy.change_form import Shown, is_same
from bindery.domain.policy.kept_change import KeptChange
from bindery.storage.database import Database, Reader
from bindery.storage.policy import changes


@dataclass(frozen=True, slots=True)
class SentChange:
    """What came of a form; `is_again`: the same was sent before, by whomever."""

    change: KeptChange
    is_again: bool


async def change_at_once(
    database: Database,
    rules: BusinessRules,
    quote_id: uuid.UUID,
    ask: PolicyChangeAsk,
    *,
    shown: Shown,
    actor: str,
) -> SentChange:
    """Issue a change or refer it; whoever sends the same a second time is given what came of the first.

    Raises:
        WrongState: there is no issued policy in force.
        ChangeMoved: it is not what its sender saw, or costs something else by now.
        ChangeOpen: another change of it is open.
        InvalidRequest: it cannot be changed so; every problem is listed.
    """
    async with database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        if (there := await _find_same(tx, quote_id, ask)) is not None:
            return SentChange(there, is_again=True)
        await check_none_open(tx, quote_id)
        priced = await price_of_change(tx, rules, quote, ask)
        shown.check(Shown.of(ask, priced))
        change_id = await keep_change(tx, quote_id, ask, priced, by=actor)
        await issue_or_refer(tx, rules, quote, await _get(tx, quote_id, change_id), actor=actor)
        return SentChange(await _get(tx, quote_id, change_id), is_again=False)


async def _find_same(tx: Reader, quote_id: uuid.UUID, ask: PolicyChangeAsk) -> KeptChange | None:
    """Return the newest change of a policy where it is this one, and issued or with an underwriter."""
    newest = await changes.newest(tx, quote_id)
    return newest if newest is not None and is_same(newest, ask) else None


async def _get(tx: Reader, quote_id: uuid.UUID, change_id: uuid.UUID) -> KeptChange:
    change = await changes.find(tx, quote_id, change_id)
    assert change is not None, "it was kept in this transaction"
    return change
