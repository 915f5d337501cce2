import uuid
from typing import assert_never

from bindery.actions.documents.gather_facts import write_notice
from bindery.actions.policy.take_capacity import book_return
from bindery.actions.quote.advance_quote import advance_quote, lock_policy, lock_quote
from bindery.contract.event_details import PolicyExpired, PolicyLapsed, QuoteExpired, QuoteStale
from bindery.domain.business_rules import BusinessRules
from bindery.domain.documents.notices import Lapsed
from bindery.domain.jobs import TIMETABLE
from bindery.domain.policy.ending import EndTerm, ExpireQuote, LeaveOpen, decide_expiry, decide_term_end
from bindery.domain.policy.ledger import TransactionKind, reversal
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import is_stale
from bindery.storage.database import Database
from bindery.storage.policy import changes, ledger, policies
from bindery.storage.submission import submissions


async def end_term(database: Database, quote_id: uuid.UUID) -> None:
    """End a policy whose term is over, at 12:01 a.m. of its expiration date; otherwise leave it."""
    async with database.transaction() as tx:
        quote, policy = await lock_policy(tx, quote_id)
        match decide_term_end(policy, tx.today):
            case EndTerm(on):
                if policy.cancellation_open:
                    # Nobody decided in time: the offer stays open on its last day, to be bound by hand.
                    await policies.record_renewal(tx, quote_id, settled=True)
                await changes.withdraw_open(tx, quote_id, by=TIMETABLE)
                await policies.end(tx, policy, on=on, because="expired")
                said = PolicyExpired(policy_number=policy.number)
                await advance_quote(tx, quote, Trigger.END_TERM, actor=TIMETABLE, said=said)
            case LeaveOpen():
                pass
            case never:
                assert_never(never)


async def lapse_binder(database: Database, rules: BusinessRules, quote_id: uuid.UUID) -> None:
    """Lapse a conditional binder that was not fulfilled in time; leave any other as it is."""
    async with database.transaction() as tx:
        quote, policy = await lock_policy(tx, quote_id)
        if not policy.is_lapsed(tx.today):
            return
        assert policy.fulfil_by is not None, "only a conditional binder lapses"
        await policies.end(tx, policy, on=tx.today, because="lapsed", keeps_days=False)
        said = PolicyLapsed(
            policy_number=policy.number,
            reason=f"The conditional binder was not fulfilled by {policy.fulfil_by}.",
        )
        lapsed = await advance_quote(tx, quote, Trigger.LAPSE, actor=TIMETABLE, said=said)
        bound = await ledger.last_of(tx, quote_id, TransactionKind.ORIGINAL)
        await book_return(tx, reversal(lapsed, TransactionKind.LAPSE, bound, today=tx.today))
        happened = Lapsed(on=tx.today, fulfil_by=policy.fulfil_by)
        await write_notice(tx, rules, lapsed, happened)


async def expire_quote(database: Database, quote_id: uuid.UUID) -> None:
    """Expire a quote if it is open and past its date; otherwise leave it."""
    async with database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        renews = await submissions.renewed_by(tx, quote.submission_id)
        renewed = await policies.find(tx, renews) if renews is not None else None
        match decide_expiry(quote, renewed, tx.today):
            case ExpireQuote():
                await advance_quote(tx, quote, Trigger.EXPIRE, actor=TIMETABLE, said=QuoteExpired())
            case LeaveOpen():
                pass
            case never:
                assert_never(never)


async def let_referral_go_stale(database: Database, quote_id: uuid.UUID) -> None:
    """Set a referral aside if nobody decided it in time; otherwise leave it."""
    async with database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        if is_stale(quote, tx.today, tx.calendar.zone):
            await advance_quote(tx, quote, Trigger.GO_STALE, actor=TIMETABLE, said=QuoteStale())
