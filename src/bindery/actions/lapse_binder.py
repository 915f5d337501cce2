import uuid

from bindery.actions.advance_quote import advance_quote
from bindery.actions.gather_facts import freeze_notice
from bindery.actions.lock_quote import lock_policy
from bindery.actions.write_mails import write_ending_mail
from bindery.contract.events import PolicyLapsed
from bindery.domain.papers.notices import Lapsed
from bindery.domain.quote.lifecycle import Trigger
from bindery.runtime import Runtime
from bindery.storage import policies

ACTOR = "timetable"


async def lapse_binder(runtime: Runtime, quote_id: uuid.UUID) -> None:
    """Let a conditional binder lapse if it was not fulfilled in time; otherwise leave it."""
    async with runtime.database.transaction() as tx:
        quote, policy = await lock_policy(tx, quote_id)
        if not policy.is_lapsed(tx.today):
            return
        assert policy.fulfil_by is not None, "only a conditional binder lapses"
        await policies.end(tx, policy, on=tx.today, because="lapsed", keeps_days=False)
        said = PolicyLapsed(
            policy_number=policy.number,
            reason=f"The conditional binder was not fulfilled by {policy.fulfil_by}.",
        )
        lapsed = await advance_quote(tx, quote, Trigger.LAPSE, actor=ACTOR, said=said)
        happened = Lapsed(on=tx.today, fulfil_by=policy.fulfil_by)
        notice = await freeze_notice(tx, runtime.practice, lapsed, happened)
        await write_ending_mail(tx, lapsed, await policies.get(tx, quote_id), notice)
