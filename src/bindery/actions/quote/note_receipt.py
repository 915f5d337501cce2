import uuid
from datetime import date

from bindery.domain.policy.receipt import all_received_on, first_files, last_day_for_more
from bindery.storage.database import Tx
from bindery.storage.policy import policies
from bindery.storage.quote import contingencies


async def note_receipt(tx: Tx, quote_id: uuid.UUID, *, asks_for_more: bool = False) -> date | None:
    """Note since when a conditional binder has every file that it owes; leave anything else as it is.

    Where an underwriter `asks_for_more`, return the binder's last day if there has to be more time for it.
    """
    policy = await policies.find(tx, quote_id)
    if policy is None or not policy.is_conditional:
        return None
    assert policy.fulfil_by is not None, "a conditional binder has a last day"
    owed = await contingencies.of_quote(tx, quote_id)
    first = first_files(await contingencies.files_of(tx, quote_id))
    received_on = all_received_on(owed, {key: tx.calendar.day_of(at) for key, at in first.items()})
    fulfil_by = last_day_for_more(policy.fulfil_by, tx.today) if asks_for_more else policy.fulfil_by
    if (received_on, fulfil_by) != (policy.received_on, policy.fulfil_by):
        await policies.record_receipt(tx, quote_id, received_on=received_on, fulfil_by=fulfil_by)
    return fulfil_by if fulfil_by != policy.fulfil_by else None
