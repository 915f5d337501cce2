from bindery.actions.quote.advance_quote import advance_quotes
from bindery.base.errors import NotFound
from bindery.domain.access.caller import Caller
from bindery.domain.quote.handing_over import AlreadyThere, BrokersOfCompany, HandedOver, decide_hand_over
from bindery.domain.quote.lifecycle import OVER, Trigger
from bindery.domain.quote.quote import Step, Walk
from bindery.storage.access import partners
from bindery.storage.database import Database
from bindery.storage.quote import quotes
from bindery.storage.submission import submissions


async def hand_over_company(
    database: Database,
    caller: Caller,
    company_id: int,
    wanted: BrokersOfCompany,
    *,
    seen: BrokersOfCompany,
) -> HandedOver | AlreadyThere:
    """Hand a company over with all that was ever submitted for it, and keep that in its journals.

    Earlier submissions go along: left with the broker before, they would make the next one of the new broker
    a conflict of brokers. The step is kept by every quote that is not over, otherwise by the newest.
    """
    async with database.transaction() as tx:
        await submissions.lock(tx, company_id)
        now = await submissions.brokers_of(tx, company_id, partner_id=caller.partner_id)
        if now is None:
            raise NotFound("There is no such company.")
        known = {broker.email: broker for broker in await partners.brokers_of(tx, caller.partner_id)}
        colleagues = {*known, *await partners.users_of(tx, caller.partner_id)}
        decided = decide_hand_over(now, wanted, seen=seen, brokers=known, colleagues=colleagues)
        if isinstance(decided, AlreadyThere):
            return decided
        locked = await quotes.lock_all_of_company(tx, company_id)
        going_on = [quote for quote in locked if quote.status not in OVER]
        keep = going_on or [max(locked, key=lambda quote: quote.created_at)]
        step = Step(Trigger.HAND_OVER, caller.actor, decided)
        await advance_quotes(tx, [Walk(quote, (step,)) for quote in keep])
        await submissions.hand_over(tx, company_id, wanted, broker_id=known[wanted.broker].broker_id)
        return decided
