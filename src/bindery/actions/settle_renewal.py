import hashlib
import uuid
from dataclasses import replace

from bindery.actions.advance_quote import advance_quote
from bindery.actions.lock_quote import lock_quote
from bindery.actions.pass_over_siblings import pass_over_siblings
from bindery.actions.put_in_force import put_in_force
from bindery.contract.events import QuoteNotBound
from bindery.domain.jobs import TIMETABLE
from bindery.domain.policy.bind_ask import BindAsk
from bindery.domain.policy.renewal import awaits_settlement, binds_automatically
from bindery.domain.practice import Practice
from bindery.domain.quote.lifecycle import BINDABLE, Trigger
from bindery.domain.quote.quote import Quote
from bindery.runtime import Runtime
from bindery.storage import contingencies, policies, submissions
from bindery.storage.database import Tx


async def settle_renewal(runtime: Runtime, quote_id: uuid.UUID) -> None:
    """On the day a policy ends, bind its open renewal, unless that was paused or something is owed."""
    async with runtime.database.transaction() as tx:
        await lock_quote(tx, quote_id)
        policy = await policies.find(tx, quote_id)
        if policy is None or not awaits_settlement(policy, tx.today):
            return
        assert policy.renewal_quote_id is not None, "what awaits settlement was offered"
        await policies.record_renewal(tx, quote_id, settled=True)
        renewal = await lock_quote(tx, policy.renewal_quote_id)
        owed = await contingencies.of_quote(tx, renewal.quote_id)
        # An offer that was passed over for a bind that was refused has come back as published.
        if renewal.status in BINDABLE and binds_automatically(policy, owed):
            await _bind_renewal(tx, runtime.practice, renewal)


async def _bind_renewal(tx: Tx, practice: Practice, renewal: Quote) -> None:
    """Bind an open renewal at the time for which it was offered, however late that is noticed."""
    stored = await submissions.get(tx, renewal.submission_id)
    term = stored.submission.term
    cover = await policies.covered_by(tx, renewal, term)
    if cover is not None:
        # Other cover of the line was bound while the renewal was being worked on.
        passed_over = replace(renewal, passed_over_for=cover.quote_id)
        said = QuoteNotBound(instead=str(cover.quote_id))
        await advance_quote(tx, passed_over, Trigger.PASS_OVER, actor=TIMETABLE, said=said)
        return
    ask = BindAsk(
        term=term,
        attested=False,
        contacts=None,
        reaches_back=False,
        reaches_back_further=False,
        fingerprint=hashlib.sha256(f"renewal:{renewal.quote_id}".encode()).digest(),
    )
    await policies.record_ask(tx, renewal, ask)
    await put_in_force(tx, practice, renewal, fulfil_by=None, actor=TIMETABLE)
    await pass_over_siblings(tx, renewal, actor=TIMETABLE)
