"""What is decided about several quotes is done to all or to none, and rests on what was seen of each."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import asyncpg
import pytest

from bindery.actions.desk.take_decisions import DecidedQuote, take_decision, take_decisions
from bindery.base.errors import ChangedMeanwhile, NotFound, WrongState
from bindery.contract.vocabulary import ContingencyType
from bindery.domain.policy.contingencies import ContingencyKind, DraftContingency
from bindery.domain.quote.decisions import (
    AddContingency,
    ApproveBind,
    ApproveReferral,
    CancelPolicy,
    Decision,
    DeclineCancellation,
    DeclineQuote,
    ReinstatePolicy,
)
from bindery.domain.quote.quote import last_step
from support.binding import bind, decide, issue, move_days, quoted, shown, status_of
from support.intake import professional, row_counts
from support.service import Service, request_body
from support.waiting import eventually

PROOF = DraftContingency(ContingencyKind.UNDERWRITER, ContingencyType.POST_BIND, "Proof of backups")
LIMITS = [{"aggregate_limit": limit} for limit in (1_000_000, 2_000_000, 3_000_000)]


WHY = "Looked at"


async def referred(service: Service, name: str = "Referred") -> list[str]:
    """Refer three options of a submission."""
    body = request_body(lambda body: body["client"].update(name=name, domains=["red-flags.example.com"]))
    body["policy"]["quotes"] = LIMITS
    return [str(quote["quote_identifier"]) for quote in await quoted(service, body)]


async def both_lines(service: Service, name: str, *, options: int = 1) -> list[list[dict[str, Any]]]:
    """Quote a company two lines, of which it can have a policy each."""
    limits = LIMITS[:options]
    cyber = request_body(lambda body: body["client"].update(name=name))
    cyber["policy"]["quotes"] = limits
    quotes = await quoted(service, cyber)
    same = ("client.name", name), ("client.company_id", quotes[0]["company_id"]), ("policy.quotes", limits)
    return [quotes, await quoted(service, professional(*same))]


async def requested(service: Service) -> list[str]:
    asked = [await bind(service, quote) for (quote,) in await both_lines(service, "Careful (prebind)")]
    assert [quote["quote_status"] for quote in asked] == ["quote_bind_requested"] * 2
    return [quote["quote_identifier"] for quote in asked]


async def active(service: Service) -> list[str]:
    policies = [await issue(service, quote) for (quote,) in await both_lines(service, "Both lines")]
    return [policy["quote_identifier"] for policy in policies]


async def asked_to_cancel(service: Service) -> list[str]:
    identifiers = await active(service)
    for identifier in identifiers:
        ask = {
            "effective": (await shown(service, identifier))["dates"]["effective"],
            "reason": "business_sold",
        }
        answer = await service.post(f"/v2/quotes/{identifier}/request_cancellation", ask)
        assert answer.status_code == 200, answer.text
    return identifiers


async def canceled(service: Service) -> list[str]:
    identifiers = await active(service)
    for identifier in identifiers:
        await decide(service, {"quote_identifier": identifier}, "cancel", text="Asked for")
    return identifiers


DECISIONS: dict[str, tuple[Callable[[Service], Awaitable[list[str]]], Decision]] = {
    "approve a referral": (referred, ApproveReferral(reason=WHY)),
    "decline a referral": (referred, DeclineQuote(WHY)),
    "add a contingency": (referred, AddContingency(PROOF)),
    "approve a bind": (requested, ApproveBind(WHY)),
    "decline a bind": (requested, DeclineQuote(WHY)),
    "cancel": (active, CancelPolicy(text=WHY)),
    "leave in force": (asked_to_cancel, DeclineCancellation(WHY)),
    "reinstate": (canceled, ReinstatePolicy(WHY)),
}


async def everything(service: Service) -> tuple[object, ...]:
    """Return the journals of all quotes, and how much there is that goes out to people and workers."""
    rows = await service.runtime.database.pool.fetch("select quote_id, entry from journal order by 1, 2")
    return [tuple(row) for row in rows], await row_counts(service), await service.count("mails")


async def seen_steps(service: Service, identifiers: Sequence[str]) -> list[int]:
    return [last_step(await service.journal(each), uuid.UUID(each)) for each in identifiers]


def decided(identifiers: Sequence[str], decision: Decision, steps: Sequence[int]) -> list[DecidedQuote]:
    return [
        DecidedQuote(uuid.UUID(identifier), decision, step)
        for identifier, step in zip(identifiers, steps, strict=True)
    ]


@pytest.mark.parametrize("decision", DECISIONS)
async def test_what_was_not_seen_of_a_single_quote_undoes_what_is_decided_about_all(
    service: Service, decision: str
) -> None:
    prepare, taken = DECISIONS[decision]
    identifiers = await prepare(service)
    steps = await seen_steps(service, identifiers)
    before = await everything(service)

    for unseen in (0, -1):
        late = list(steps)
        late[unseen] -= 1
        with pytest.raises(ChangedMeanwhile, match="was changed after the page was opened"):
            await take_decisions(
                service.runtime.database,
                service.runtime.rules,
                decided(identifiers, taken, late),
                actor="tests",
            )
        assert await everything(service) == before

    await take_decisions(
        service.runtime.database, service.runtime.rules, decided(identifiers, taken, steps), actor="tests"
    )
    after = await seen_steps(service, identifiers)
    assert all(now > then for now, then in zip(after, steps, strict=True))
    written = await service.runtime.database.pool.fetch(
        "select distinct xmin::text from journal where actor = 'tests' and quote_id = any($1)",
        [uuid.UUID(identifier) for identifier in identifiers],
    )
    assert len(written) == 1, "they were decided in one transaction"


@pytest.mark.parametrize("decision", DECISIONS)
async def test_a_decision_that_comes_twice_is_taken_once(service: Service, decision: str) -> None:
    prepare, wanted = DECISIONS[decision]
    identifiers = await prepare(service)
    taken = decided(identifiers, wanted, await seen_steps(service, identifiers))
    await take_decisions(service.runtime.database, service.runtime.rules, taken, actor="tests")
    before = await everything(service)

    with pytest.raises(ChangedMeanwhile):
        await take_decisions(service.runtime.database, service.runtime.rules, taken, actor="tests")

    assert await everything(service) == before


@pytest.mark.parametrize("place", [0, 1, 2])
async def test_a_quote_that_is_not_open_to_the_decision_keeps_the_others_from_it(
    service: Service, place: int
) -> None:
    identifiers = await referred(service)
    await decide(service, {"quote_identifier": identifiers[place]}, "approve")
    before = await everything(service)

    with pytest.raises(WrongState, match="A quote that is published cannot be declined"):
        await take_decisions(
            service.runtime.database,
            service.runtime.rules,
            decided(identifiers, DeclineQuote(WHY), await seen_steps(service, identifiers)),
            actor="tests",
        )

    assert await everything(service) == before


async def test_a_quote_that_is_not_there_keeps_the_others_from_being_decided(service: Service) -> None:
    first, *_ = await referred(service)
    nobody, declined = uuid.UUID(int=2**128 - 1), DeclineQuote(WHY)
    before = await everything(service)

    with pytest.raises(NotFound, match="There is no such quote"):
        await take_decisions(
            service.runtime.database,
            service.runtime.rules,
            [DecidedQuote(uuid.UUID(first), declined), DecidedQuote(nobody, declined)],
            actor="tests",
        )

    assert await everything(service) == before


async def test_of_two_people_who_pick_the_same_quotes_in_another_order_one_decides(
    service: Service, dsn: str
) -> None:
    # Of two companies, so that holding one of them keeps nobody from the other.
    picked = [(await referred(service, name))[0] for name in ("Ash", "Birch")]
    taken = decided(picked, DeclineQuote(WHY), await seen_steps(service, picked))
    other = await asyncpg.connect(dsn)

    async with other.transaction():
        # Each has the company of the first that it takes before either can go on.
        await other.execute("select from quotes for update")
        people = [
            asyncio.create_task(
                take_decisions(service.runtime.database, service.runtime.rules, order, actor="tests")
            )
            for order in (taken, taken[::-1])
        ]
        await eventually(service.waiting_for_locks, lambda count: count == len(people))
    outcomes = await asyncio.gather(*people, return_exceptions=True)
    await other.close()

    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["ChangedMeanwhile", "NoneType"]
    for identifier in picked:
        triggers = [entry.trigger for entry in await service.journal(identifier)]
        assert triggers.count("decline") == 1


async def test_binds_declined_together_bring_back_what_each_had_passed_over(service: Service) -> None:
    lines = await both_lines(service, "Careful (prebind)", options=2)
    chosen = [(await bind(service, first))["quote_identifier"] for first, _ in lines]
    passed_over = [second["quote_identifier"] for _, second in lines]
    assert [await status_of(service, each) for each in passed_over] == ["quote_not_bound"] * 2
    declined, steps = DeclineQuote(WHY), await seen_steps(service, chosen)

    await take_decisions(
        service.runtime.database, service.runtime.rules, decided(chosen, declined, steps), actor="tests"
    )

    assert [await status_of(service, each) for each in chosen] == ["quote_declined"] * 2
    assert [await status_of(service, each) for each in passed_over] == ["published"] * 2


@pytest.mark.parametrize("chosen", [0, 1])
async def test_what_a_bind_passed_over_is_not_declined_together_with_it(
    service: Service, chosen: int
) -> None:
    lines = await both_lines(service, "Careful (prebind)", options=2)
    both = [quote["quote_identifier"] for quote in lines[0]]
    await bind(service, lines[0][chosen])
    before = await everything(service)

    with pytest.raises(WrongState, match="A quote that is quote_not_bound cannot be declined"):
        await take_decisions(
            service.runtime.database,
            service.runtime.rules,
            decided(both, DeclineQuote(WHY), await seen_steps(service, both)),
            actor="tests",
        )

    assert await everything(service) == before


async def test_policies_canceled_together_withdraw_the_renewal_of_each(service: Service) -> None:
    identifiers = await active(service)
    await move_days(service, 340)
    offers = [(await shown(service, each))["renewal"]["renewed_by"] for each in identifiers]
    assert all(offers)
    cancel = CancelPolicy(text=WHY)
    steps = await seen_steps(service, identifiers)
    before = await everything(service)

    with pytest.raises(ChangedMeanwhile):
        await take_decisions(
            service.runtime.database,
            service.runtime.rules,
            decided(identifiers, cancel, [steps[0], steps[1] - 1]),
            actor="tests",
        )
    assert await everything(service) == before
    await take_decisions(
        service.runtime.database, service.runtime.rules, decided(identifiers, cancel, steps), actor="tests"
    )

    assert [await status_of(service, each) for each in offers] == ["quote_revoked"] * 2
    for identifier in identifiers:
        policy = await shown(service, identifier)
        assert (policy["quote_status"], policy["renewal"]["renewed_by"]) == ("policy_canceled", None)


async def test_a_single_decision_rests_on_the_quote_as_it_is(service: Service) -> None:
    identifier = (await referred(service))[0]

    await take_decision(
        service.runtime.database,
        service.runtime.rules,
        uuid.UUID(identifier),
        DeclineQuote(WHY),
        actor="tests",
    )

    assert await status_of(service, identifier) == "quote_declined"
