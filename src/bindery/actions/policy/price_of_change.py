"""A policy with all that a change of it depends on, and what a change would cost."""

from dataclasses import dataclass
from datetime import date

import msgspec

from bindery.contract.changes import AdditionalInsured, PolicyChangeAsk
from bindery.domain.business_rules import BusinessRules
from bindery.domain.policy.binders import FoundSection
from bindery.domain.policy.change_ask import InsuredNow
from bindery.domain.policy.changing import PricedChange, check_changeable, price_change
from bindery.domain.policy.ledger import Booked, TransactionKind
from bindery.domain.policy.policy import Policy
from bindery.domain.quote.quote import Quote
from bindery.domain.submission.value import client_of
from bindery.storage.database import Reader
from bindery.storage.policy import capacity, changes, ledger, policies
from bindery.storage.submission import submissions
from bindery.storage.submission.submissions import StoredSubmission

_read_additional = msgspec.json.Decoder(tuple[AdditionalInsured, ...]).decode


@dataclass(frozen=True, slots=True)
class PolicyNow:
    """A policy with all that a change of it depends on; `section` is None where it is on no binder."""

    policy: Policy
    stored: StoredSubmission
    insured: InsuredNow
    bound: Booked
    section: FoundSection | None


async def price_of_change(
    tx: Reader, rules: BusinessRules, quote: Quote, ask: PolicyChangeAsk
) -> PricedChange:
    """Work out what a change would cost now, and change nothing."""
    policy = check_changeable(quote, await policies.find(tx, quote.quote_id), tx.today)
    return price_with(await policy_now(tx, quote, policy), rules, quote, ask, today=tx.today)


def price_with(
    now: PolicyNow, rules: BusinessRules, quote: Quote, ask: PolicyChangeAsk, *, today: date
) -> PricedChange:
    """Work out the same of a policy that was read already."""
    return price_change(
        quote,
        now.policy,
        now.insured,
        ask,
        scan=now.stored.scan,
        sanctions=rules.sanctions,
        section=now.section,
        today=today,
    )


async def policy_now(tx: Reader, quote: Quote, policy: Policy) -> PolicyNow:
    stored = await submissions.get(tx, quote.submission_id)
    kept = await changes.bind_now(tx, quote.quote_id)
    bound = await ledger.last_of(tx, quote.quote_id, TransactionKind.ORIGINAL)
    return PolicyNow(
        policy=policy,
        stored=stored,
        insured=InsuredNow(
            submission=stored.submission,
            client=client_of(stored.body, kept.contacts),
            additional=_read_additional(kept.additional_insured or "[]"),
        ),
        bound=bound,
        section=None if bound.section_id is None else await capacity.find_section(tx, bound.section_id),
    )
