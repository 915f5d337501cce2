import uuid
from dataclasses import replace
from typing import assert_never

from bindery.actions.documents.write_mails import write_offer_mail
from bindery.actions.policy.put_in_force import put_in_force
from bindery.actions.policy.take_capacity import take_capacity
from bindery.actions.quote.advance_quote import (
    advance_quote,
    change_contingencies,
    lock_quote,
    pass_over_siblings,
)
from bindery.contract.event_details import QuoteBindRequested, QuoteNotBound
from bindery.domain.applicant.risk import Term
from bindery.domain.business_rules import BusinessRules
from bindery.domain.jobs import TIMETABLE
from bindery.domain.policy.bind_ask import BindAsk
from bindery.domain.policy.binders import NoAuthority
from bindery.domain.policy.renewal import (
    BindRenewal,
    LeaveRenewal,
    PassOverRenewal,
    awaits_settlement,
    decide_settlement,
    is_reminder_due,
    reminders_due,
)
from bindery.domain.quote.lifecycle import BINDABLE, Trigger
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Database, Tx
from bindery.storage.policy import policies
from bindery.storage.quote import contingencies
from bindery.storage.submission import submissions


async def settle_renewal(database: Database, rules: BusinessRules, quote_id: uuid.UUID) -> None:
    """On the day a policy ends, bind its open renewal, unless that was paused or something is owed."""
    async with database.transaction() as tx:
        await lock_quote(tx, quote_id)
        policy = await policies.find(tx, quote_id)
        if policy is None or not awaits_settlement(policy, tx.today):
            return
        assert policy.renewal_quote_id is not None, "what awaits settlement was offered"
        await policies.record_renewal(tx, quote_id, settled=True)
        renewal = await lock_quote(tx, policy.renewal_quote_id)
        owed = await contingencies.of_quote(tx, renewal.quote_id)
        term = (await submissions.get(tx, renewal.submission_id)).submission.term
        cover = await policies.covered_by(tx, renewal, term)
        match decide_settlement(policy, renewal, owed=owed, cover=cover):
            case BindRenewal():
                await _bind(tx, rules, renewal, term)
            case PassOverRenewal(instead):
                await _pass_over(tx, renewal, instead)
            case LeaveRenewal():
                pass
            case never:
                assert_never(never)


async def _bind(tx: Tx, rules: BusinessRules, renewal: Quote, term: Term) -> None:
    """Bind an open renewal at the time for which it was offered, however late that is noticed."""
    await policies.record_ask(tx, renewal, BindAsk.of_renewal(renewal.quote_id, term))
    section = await take_capacity(tx, renewal, term)
    if isinstance(section, NoAuthority):
        # Not a silent end of cover: an underwriter sees it, and binds it once there is authority.
        asked = await change_contingencies(tx, renewal, add=[section.contingency], actor=TIMETABLE)
        said = QuoteBindRequested(
            effective=term.effective, expiration=term.expiration, premium=renewal.premium
        )
        await advance_quote(tx, asked, Trigger.REQUEST_BIND, actor=TIMETABLE, said=said)
    else:
        await put_in_force(tx, rules, renewal, section=section, fulfil_by=None, actor=TIMETABLE)
    await pass_over_siblings(tx, renewal, actor=TIMETABLE)


async def _pass_over(tx: Tx, renewal: Quote, instead: uuid.UUID) -> None:
    passed_over = replace(renewal, passed_over_for=instead)
    said = QuoteNotBound(instead=str(instead))
    await advance_quote(tx, passed_over, Trigger.PASS_OVER, actor=TIMETABLE, said=said)


async def remind_of_renewal(database: Database, rules: BusinessRules, quote_id: uuid.UUID) -> None:
    """Remind the broker of an open renewal offer, once 30 and once 10 days before it binds."""
    async with database.transaction() as tx:
        await lock_quote(tx, quote_id)
        policy = await policies.find(tx, quote_id)
        if policy is None or not is_reminder_due(policy, tx.today):
            return
        assert policy.renewal_quote_id is not None, "what is reminded of was offered"
        due = reminders_due(policy.term.expiration, tx.today)
        await policies.record_renewal(tx, quote_id, reminders_sent=due)
        renewal = await lock_quote(tx, policy.renewal_quote_id)
        if renewal.status in BINDABLE and tx.today < policy.term.expiration:
            await write_offer_mail(tx, rules, renewal, policy, reminder=due)
