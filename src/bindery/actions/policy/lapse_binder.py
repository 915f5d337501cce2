import uuid

from bindery.actions.documents.write_mails import write_notice
from bindery.actions.quote.advance_quote import advance_quote, lock_policy
from bindery.contract.events import PolicyLapsed
from bindery.domain.business_rules import BusinessRules
from bindery.domain.documents.notices import Lapsed
from bindery.domain.jobs import TIMETABLE
from bindery.domain.quote.lifecycle import Trigger
from bindery.storage.database import Database
from bindery.storage.policy import policies


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
        happened = Lapsed(on=tx.today, fulfil_by=policy.fulfil_by)
        await write_notice(tx, rules, lapsed, happened)
