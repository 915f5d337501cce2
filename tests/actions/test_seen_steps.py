"""A decision rests on what was seen: whatever happened since is noticed while the quote is held."""

import uuid
from collections.abc import Awaitable, Callable

import pytest

from bindery.actions.add_contingency import add_contingency
from bindery.actions.approve_bind import approve_bind
from bindery.actions.approve_referrals import ReferralApproval, approve_referrals
from bindery.actions.cancel_policy import cancel_policy
from bindery.actions.decline_cancellation import decline_cancellation
from bindery.actions.decline_quote import decline_quote
from bindery.actions.reinstate_policy import reinstate_policy
from bindery.base.errors import ChangedMeanwhile
from bindery.contract.vocabulary import ContingencyType
from bindery.domain.policy.contingencies import ContingencyKind, DraftContingency
from bindery.domain.quote.desk import last_step
from bindery.runtime import Runtime
from support.binding import bind, decide, issue, one_quoted
from support.service import Service

Decide = Callable[[Runtime, uuid.UUID, int], Awaitable[None]]
PROOF = DraftContingency(ContingencyKind.UNDERWRITER, ContingencyType.PRE_BIND, "Proof of backups")
WHY = {"actor": "tests", "reason": "Looked at"}


async def referred(service: Service) -> str:
    quote = await one_quoted(service, lambda body: body["client"].update(domains=["red-flags.example.com"]))
    return str(quote["quote_identifier"])


async def requested(service: Service) -> str:
    quote = await one_quoted(service)
    await add_contingency(service.runtime, uuid.UUID(quote["quote_identifier"]), PROOF, actor="tests")
    return str((await bind(service, quote))["quote_identifier"])


async def active(service: Service) -> str:
    return str((await issue(service, await one_quoted(service)))["quote_identifier"])


async def asked_to_cancel(service: Service) -> str:
    identifier = await active(service)
    policy = (await service.get(f"/v2/quotes/{identifier}")).json()
    ask = {"effective": policy["dates"]["effective"], "reason": "Sold the company"}
    answer = await service.post(f"/v2/quotes/{identifier}/request_cancellation", ask)
    assert answer.status_code == 200, answer.text
    return identifier


async def canceled(service: Service) -> str:
    policy = await issue(service, await one_quoted(service))
    return str((await decide(service, policy, "cancel", reason="Asked for"))["quote_identifier"])


DECISIONS: dict[str, tuple[Callable[[Service], Awaitable[str]], Decide]] = {
    "approve a referral": (
        referred,
        lambda runtime, quote_id, step: approve_referrals(
            runtime, [ReferralApproval(quote_id, seen_step=step)], actor="tests"
        ),
    ),
    "decline a referral": (
        referred,
        lambda runtime, quote_id, step: decline_quote(runtime, quote_id, seen_step=step, **WHY),
    ),
    "add a contingency": (
        referred,
        lambda runtime, quote_id, step: add_contingency(
            runtime, quote_id, PROOF, actor="tests", seen_step=step
        ),
    ),
    "approve a bind": (
        requested,
        lambda runtime, quote_id, step: approve_bind(runtime, quote_id, seen_step=step, **WHY),
    ),
    "cancel": (
        active,
        lambda runtime, quote_id, step: cancel_policy(runtime, quote_id, on=None, seen_step=step, **WHY),
    ),
    "leave in force": (
        asked_to_cancel,
        lambda runtime, quote_id, step: decline_cancellation(runtime, quote_id, seen_step=step, **WHY),
    ),
    "reinstate": (
        canceled,
        lambda runtime, quote_id, step: reinstate_policy(runtime, quote_id, seen_step=step, **WHY),
    ),
}


@pytest.mark.parametrize("decision", DECISIONS)
async def test_what_was_not_seen_undoes_a_decision(service: Service, decision: str) -> None:
    prepare, decide_ = DECISIONS[decision]
    identifier = await prepare(service)
    quote_id, before = uuid.UUID(identifier), await service.journal(identifier)
    seen = last_step(before, quote_id)

    with pytest.raises(ChangedMeanwhile, match="was changed after the page was opened"):
        await decide_(service.runtime, quote_id, seen - 1)
    assert await service.journal(identifier) == before

    await decide_(service.runtime, quote_id, seen)
    assert len(await service.journal(identifier)) > len(before)
