import uuid
from typing import assert_never

from bindery.actions.quote.advance_quote import advance_quote, lock_policy
from bindery.contract.events import PolicyExpired
from bindery.domain.jobs import TIMETABLE
from bindery.domain.policy.ending import EndTerm, LeaveOpen, decide_term_end
from bindery.domain.quote.lifecycle import Trigger
from bindery.storage.database import Database
from bindery.storage.policy import policies


async def end_term(database: Database, quote_id: uuid.UUID) -> None:
    """End a policy whose term is over, at 12:01 a.m. of its expiration date; otherwise leave it."""
    async with database.transaction() as tx:
        quote, policy = await lock_policy(tx, quote_id)
        match decide_term_end(policy, tx.today):
            case EndTerm(on):
                await policies.end(tx, policy, on=on, because="expired")
                said = PolicyExpired(policy_number=policy.number)
                await advance_quote(tx, quote, Trigger.END_TERM, actor=TIMETABLE, said=said)
            case LeaveOpen():
                pass
            case never:
                assert_never(never)
