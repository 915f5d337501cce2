"""What GET answers from its cache is what it would build again, whichever shown fact has changed."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

import httpx
import msgspec
import pytest

from bindery.actions.desk.ask_broker import answer_question
from bindery.actions.desk.take_decisions import take_decision
from bindery.actions.quote.advance_quote import lock_quote
from bindery.actions.renewal.set_renewal_type import resume_renewal
from bindery.actions.renewal.submit_renewal import submit_renewal
from bindery.actions.submission.process_submission import process_submission
from bindery.contract.quote import QuoteBody
from bindery.domain.access.caller import Caller
from bindery.domain.quote.decisions import ReopenContingency
from bindery.domain.quote.lifecycle import IN_PIPELINE
from bindery.http.show_quote import show_quote
from bindery.storage.quote import quote_view
from bindery.storage.submission import submissions
from support.binding import (
    DAY,
    PHOTO,
    ask_to_bind,
    bind,
    decide,
    in_days,
    issue,
    move_days,
    move_to,
    one_quoted,
    quoted,
    set_day,
    shown,
    upload_signed,
)
from support.intake import professional, technology
from support.service import Service, request_body

pytestmark = pytest.mark.usefixtures("plain_printing", "clock_at_day")
PROOF = {"type": "post_bind", "text": "Proof that backups are kept offline"}
ONE_OPTION = ("policy.quotes", [{"aggregate_limit": 1_000_000}])

NEVER_CHANGE: Final = {
    # Who it is for and what was asked: another request makes another quote.
    "quote_identifier",
    "company_id",
    "insurance_product",
    "aggregate_limit",
    "per_claim_limit",
    "per_claim_retention",
    "renewal.renews",
    # What the scan and the screening found before it was first shown.
    "error_occurred",
    "red_flags_exist",
    "referral_reasons.code",
    "referral_reasons.text",
    "referral_reasons.recommendation",
    # Open-ended in every edition there is.
    "surcharges_effective_until",
    "filing_effective_until",
}

Story = Callable[[Service], AsyncIterator[str]]


@dataclass(frozen=True)
class PartnerEvent:
    """A story that names a quote, pauses to let it be seen, and then changes these facts of it."""

    story: Story
    changes: frozenset[str]


STORIES: list[PartnerEvent] = []


def changing(*facts: str) -> Callable[[Story], Story]:
    def keep(story: Story) -> Story:
        STORIES.append(PartnerEvent(story, frozenset(facts)))
        return story

    return keep


def leaves(struct: type[msgspec.Struct], path: str = "") -> Iterator[str]:
    """Name every fact of a body, those of nested bodies too: `contingencies.status`."""
    for field in msgspec.structs.fields(struct):
        nested = [kind for kind in structs_in(field.type) if kind is not struct]
        if nested:
            yield from leaves(nested[0], f"{path}{field.name}.")
        else:
            yield f"{path}{field.name}"


def structs_in(hint: Any) -> list[type[msgspec.Struct]]:
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return [hint]
    return [found for part in getattr(hint, "__args__", ()) for found in structs_in(part)]


def fact(body: Any, path: str) -> Any:
    """Return what stands at a path; of a list what stands there in each item."""
    name, _, rest = path.partition(".")
    value = body[name] if body is not None else None
    if not rest:
        return value
    return [fact(item, rest) for item in value] if isinstance(value, list) else fact(value, rest)


async def referred(service: Service) -> dict[str, Any]:
    body = request_body(lambda body: body["policy"].update(quotes=[{"aggregate_limit": 5_000_000}]))
    return (await quoted(service, body))[0]


async def with_offer(service: Service) -> tuple[dict[str, Any], str]:
    """A policy whose renewal is offered, and the identifier of that offer."""
    policy = await issue(service, await one_quoted(service))
    await move_to(service, date.fromisoformat(policy["dates"]["expiration"]) - timedelta(days=60))
    policy = await shown(service, policy["quote_identifier"])
    return policy, policy["renewal"]["renewed_by"]


async def pause(service: Service, policy: dict[str, Any]) -> None:
    answer = await service.post(f"/v2/quotes/{policy['quote_identifier']}/pause_renewal")
    assert answer.status_code == 200, answer.text


@changing(
    "aggregate_retention", "premium", "total", "quote_status", "quote_expiration_date",
    "coverages.coverage_name", "coverages.limit", "coverages.retention", "coverages.parameter_name",
    "coverages.parameter", "surcharges.title", "surcharges.percentage", "surcharges.price",
    "surcharges_effective_from", "filing_effective_from", "available_documents", "available_actions",
)  # fmt: skip
async def approving_a_referral(service: Service) -> AsyncIterator[str]:
    quote = await referred(service)
    yield quote["quote_identifier"]
    await decide(service, quote, "approve", terms={"aggregate_retention": 50_000})


@changing(
    "questions.question_id", "questions.status", "questions.text", "questions.about", "questions.asked_at",
    "questions.answer", "questions.document_id", "questions.answered_at",
)  # fmt: skip
async def asking_the_broker(service: Service) -> AsyncIterator[str]:
    quote = await referred(service)
    yield quote["quote_identifier"]
    await decide(service, quote, "ask", reason="Who else has access?")


@changing(
    "questions.status", "questions.answer", "questions.document_id", "questions.answered_at", "uploads.name"
)
async def an_answer_with_a_file(service: Service) -> AsyncIterator[str]:
    quote = await decide(service, await referred(service), "ask", reason="Who else has access?")
    yield quote["quote_identifier"]
    (asked,) = quote["questions"]
    answer = await service.http.post(
        "/v2/documents",
        data={"quote_identifier": quote["quote_identifier"]},
        files={"file": ("plan.png", PHOTO, "image/png")},
        headers=service.headers,
    )
    await answer_question(
        service.runtime.database,
        service.runtime.rules,
        uuid.UUID(asked["question_id"]),
        "Nobody.",
        uuid.UUID(answer.json()["document_id"]),
        partner_id=service.partner.partner_id,
        actor="broker@example.com",
    )


@changing("contingencies.received", "contingencies.asked_again_because")
async def rejecting_a_file(service: Service) -> AsyncIterator[str]:
    quote = await one_quoted(service)
    await upload_signed(service, quote)
    yield quote["quote_identifier"]
    await take_decision(
        service.runtime.database,
        service.runtime.rules,
        uuid.UUID(quote["quote_identifier"]),
        ReopenContingency(quote["contingencies"][0]["contingency_id"], "Page 2 is missing."),
        actor="ann@example.com",
    )


@changing("quote_status", "decision.kind", "decision.reason", "decision.at")
async def declining_a_referral(service: Service) -> AsyncIterator[str]:
    quote = await referred(service)
    yield quote["quote_identifier"]
    await decide(service, quote, "decline", reason="Outside our appetite.")


@changing("quote_status", "decision.kind", "decision.reason", "decision.at", "available_actions")
async def revoking_an_open_quote(service: Service) -> AsyncIterator[str]:
    quote = await one_quoted(service)
    yield quote["quote_identifier"]
    await decide(service, quote, "revoke", reason="Withdrawn by us.")


@changing(
    "client", "dates.effective", "dates.expiration", "premium", "quote_status", "quote_expiration_date",
    "policy_number", "binder.conditional", "binder.fulfil_by", "renewal.type", "available_documents",
    "corrections.code", "corrections.field", "corrections.asked", "corrections.given", "corrections.text",
    "corrections.path",
)  # fmt: skip
async def binding_with_other_dates_and_contacts(service: Service) -> AsyncIterator[str]:
    quote = await one_quoted(service)
    yield quote["quote_identifier"]
    dates = {
        "effective": in_days(DAY, 9),
        "expiration": in_days(DAY, 300),
        "teo_retroactive_date": in_days(DAY, 0),
    }
    await bind(
        service, quote, dates=dates, client={"insured_main_contact": {"email": "new@harborlight.example"}}
    )


@changing("quote_status", "available_actions")
async def binding_another_option(service: Service) -> AsyncIterator[str]:
    chosen, other = await quoted(service)
    yield other["quote_identifier"]
    await bind(service, chosen)


@changing("dates.teo_retroactive_date", "contingencies.status")
async def binding_without_the_quoted_technology_date(service: Service) -> AsyncIterator[str]:
    dates = {"effective": in_days(DAY, 1), "teo_retroactive_date": in_days(DAY, -400)}
    (quote,) = await quoted(service, technology(ONE_OPTION, ("policy.dates", dates)))
    yield quote["quote_identifier"]
    await bind(service, quote, dates={**dates, "teo_retroactive_date": dates["effective"]})


@changing("dates.mpl_retroactive_date")
async def binding_with_an_earlier_professional_date(service: Service) -> AsyncIterator[str]:
    (quote,) = await quoted(service, professional(ONE_OPTION))
    yield quote["quote_identifier"]
    dates = {"effective": quote["dates"]["effective"], "mpl_retroactive_date": in_days(DAY, -400)}
    await bind(service, quote, dates=dates)


@changing("contingencies.contingency_id", "contingencies.status", "contingencies.text", "contingencies.type")
async def adding_a_contingency(service: Service) -> AsyncIterator[str]:
    quote = await one_quoted(service)
    yield quote["quote_identifier"]
    await decide(service, quote, "add_contingency", contingency=PROOF)


@changing("corrections.reason", "aggregate_retention", "decision.kind", "decision.reason", "decision.at")
async def approving_on_other_terms(service: Service) -> AsyncIterator[str]:
    quote = await one_quoted(service, lambda body: body["client"].update(domains=["red-flags.example.com"]))
    yield quote["quote_identifier"]
    await decide(service, quote, "approve", terms={"aggregate_retention": 25_000}, reason="Open RDP")


@changing(
    "amendments.at", "amendments.reason", "amendments.changes.path", "amendments.changes.before",
    "amendments.changes.after", "aggregate_retention", "premium", "total", "decision.kind",
)  # fmt: skip
async def amending_an_open_quote(service: Service) -> AsyncIterator[str]:
    quote = await one_quoted(service)
    yield quote["quote_identifier"]
    terms = {"aggregate_retention": 50_000}
    await decide(service, quote, "amend", terms=terms, reason="The loss runs came in.")


@changing("contingencies.status", "contingencies.closed_as", "contingencies.closed_reason")
async def reopening_a_contingency(service: Service) -> AsyncIterator[str]:
    quote = await one_quoted(service)
    contingency_id = quote["contingencies"][0]["contingency_id"]
    waived = {"closed_as": "waived", "reason": "Signed last year."}
    await decide(service, quote, "close_contingency", contingency_id=contingency_id, **waived)
    yield quote["quote_identifier"]
    await take_decision(
        service.runtime.database,
        service.runtime.rules,
        uuid.UUID(quote["quote_identifier"]),
        ReopenContingency(contingency_id),
        actor="test",
    )


@changing(
    "contingencies.status", "binder.conditional", "binder.fulfil_by", "quote_expiration_date",
    "available_documents",
)  # fmt: skip
async def closing_the_last_contingency_of_a_binder(service: Service) -> AsyncIterator[str]:
    quote = await one_quoted(service)
    await bind(service, quote)
    yield quote["quote_identifier"]
    contingency_id = quote["contingencies"][0]["contingency_id"]
    await decide(service, quote, "close_contingency", contingency_id=contingency_id)


@changing(
    "uploads.document_id", "uploads.name", "uploads.contingency", "uploads.received", "uploads.finding",
    "uploads.signature", "uploads.message", "uploads.pages.found", "uploads.pages.of",
    "uploads.signed_electronically",
)  # fmt: skip
async def uploading_a_paper(service: Service) -> AsyncIterator[str]:
    quote = await one_quoted(service)
    yield quote["quote_identifier"]
    await upload_signed(service, quote)


@changing("contingencies.received", "binder.received_on")
async def uploading_what_a_binder_owes(service: Service) -> AsyncIterator[str]:
    quote = await one_quoted(service)
    await bind(service, quote)
    yield quote["quote_identifier"]
    await upload_signed(service, quote)


@changing("binder.late")
async def leaving_what_came_in_time(service: Service) -> AsyncIterator[str]:
    quote = await one_quoted(service)
    await bind(service, quote)
    await upload_signed(service, quote)
    yield quote["quote_identifier"]
    await move_days(service, 31)


@changing("renewal.type", "renewal.state", "renewal.stopped_by", "available_actions")
async def pausing_the_policy(service: Service) -> AsyncIterator[str]:
    policy = await issue(service, await one_quoted(service))
    yield policy["quote_identifier"]
    await pause(service, policy)


@changing("available_actions")
async def coming_to_the_day_to_ask_for_a_renewal(service: Service) -> AsyncIterator[str]:
    policy = await issue(service, await one_quoted(service))
    await pause(service, policy)
    await move_to(service, date.fromisoformat(policy["dates"]["expiration"]) - timedelta(days=91))
    yield policy["quote_identifier"]
    await move_days(service, 1)


@changing("renewal.state", "available_actions")
async def withdrawing_the_offer_of_a_policy(service: Service) -> AsyncIterator[str]:
    policy, offer = await with_offer(service)
    yield policy["quote_identifier"]
    await service.post(f"/v2/quotes/{offer}/withdraw")
    await pause(service, policy)


@changing("renewal.stopped_by")
async def asking_to_cancel_the_policy_that_an_offer_renews(service: Service) -> AsyncIterator[str]:
    policy, offer = await with_offer(service)
    yield offer
    await ask_for_cancellation(service, policy)


@changing("renewal.type")
async def pausing_the_policy_that_an_offer_renews(service: Service) -> AsyncIterator[str]:
    policy, offer = await with_offer(service)
    yield offer
    await pause(service, policy)


@changing("renewal.type")
async def resuming_the_policy_that_an_offer_renews(service: Service) -> AsyncIterator[str]:
    policy, offer = await with_offer(service)
    await pause(service, policy)
    yield offer
    caller = Caller(partner_id=service.partner.partner_id, actor="test")
    await resume_renewal(service.runtime.database, caller, uuid.UUID(policy["quote_identifier"]))


@changing("renewal.type")
async def pausing_the_policy_whose_first_renewal_was_withdrawn(service: Service) -> AsyncIterator[str]:
    policy, offer = await with_offer(service)
    await decide(service, policy, "cancel", text="Sold.")
    await decide(service, policy, "reinstate", reason="Not sold.")
    yield offer
    await pause(service, policy)


@changing("renewal.renewed_by", "renewal.state")
async def offering_a_renewal(service: Service) -> AsyncIterator[str]:
    policy = await issue(service, await one_quoted(service))
    yield policy["quote_identifier"]
    await move_to(service, date.fromisoformat(policy["dates"]["expiration"]) - timedelta(days=60))


@changing(
    *("quote_status", "decision.kind", "decision.effective", "decision.returned_premium"),
    *(f"cancellation.{name}" for name in ("canceled_by", "reason", "text", "effective")),
    *(f"cancellation.{name}" for name in ("earned", "returned", "due")),
)
async def canceling_a_policy(service: Service) -> AsyncIterator[str]:
    policy = await issue(service, await one_quoted(service))
    yield policy["quote_identifier"]
    await decide(service, policy, "cancel", text="Sold.", effective=in_days(DAY, 200))


@changing(
    *("renewal.state", "renewal.stopped_by", "available_actions", "available_documents"),
    *(f"nonrenewal.{name}" for name in ("reason", "text", "notified_on")),
)
async def not_renewing_a_policy(service: Service) -> AsyncIterator[str]:
    policy = await issue(service, await one_quoted(service))
    await move_to(service, date.fromisoformat(policy["dates"]["expiration"]) - timedelta(days=80))
    yield policy["quote_identifier"]
    await decide(service, policy, "not_renew", reason="security")


@changing("quote_status", "renewal.state", "renewal.stopped_by")
async def holding_the_renewal_of_a_policy(service: Service) -> AsyncIterator[str]:
    policy, offer = await with_offer(service)
    yield offer
    await decide(service, policy, "hold_renewal", reason="Losses.")


CANCELLATION: Final = "cancellation_request"


@changing(*(f"{CANCELLATION}.{name}" for name in ("effective", "reason", "text", "requested_at", "status")))
async def asking_for_a_cancellation(service: Service) -> AsyncIterator[str]:
    policy = await issue(service, await one_quoted(service))
    yield policy["quote_identifier"]
    await ask_for_cancellation(service, policy)


@changing(f"{CANCELLATION}.status", f"{CANCELLATION}.answer")
async def declining_a_cancellation(service: Service) -> AsyncIterator[str]:
    policy = await issue(service, await one_quoted(service))
    await ask_for_cancellation(service, policy)
    yield policy["quote_identifier"]
    await decide(service, policy, "decline", reason="No.")


@changing("quote_status", "decision.kind", "decision.reason", "available_actions")
async def withdrawing_a_quote(service: Service) -> AsyncIterator[str]:
    quote = await one_quoted(service)
    yield quote["quote_identifier"]
    await service.post(f"/v2/quotes/{quote['quote_identifier']}/withdraw")


@changing("quote_status", "decision.kind", "available_actions")
async def reinstating_a_policy(service: Service) -> AsyncIterator[str]:
    policy = await issue(service, await one_quoted(service))
    await decide(service, policy, "cancel", text="Sold.")
    yield policy["quote_identifier"]
    await decide(service, policy, "reinstate", reason="Not sold.")


@changing("quote_status", "decision.kind", "decision.reason", "available_documents")
async def letting_a_binder_lapse(service: Service) -> AsyncIterator[str]:
    quote = await one_quoted(service)
    await bind(service, quote)
    yield quote["quote_identifier"]
    await move_days(service, 31)


@changing("quote_status", "available_actions")
async def letting_a_quote_expire(service: Service) -> AsyncIterator[str]:
    quote = await one_quoted(service)
    yield quote["quote_identifier"]
    await move_days(service, 61)


async def ask_for_cancellation(service: Service, policy: dict[str, Any]) -> None:
    answer = await service.post(
        f"/v2/quotes/{policy['quote_identifier']}/request_cancellation",
        {"effective": in_days(DAY, 320), "reason": "business_sold", "text": "To a competitor."},
    )
    assert answer.status_code == 200, answer.text


async def read(service: Service, identifier: str) -> httpx.Response:
    answer = await service.get(f"/v2/quotes/{identifier}")
    assert answer.status_code == 200, answer.text
    return answer


async def built_anew(service: Service, identifier: str) -> bytes:
    async with service.runtime.database.reading() as tx:
        seen = await quote_view.see(tx, uuid.UUID(identifier), partner_id=service.partner.partner_id)
    assert seen is not None
    return msgspec.json.encode(show_quote(seen))


@pytest.mark.parametrize("told", STORIES, ids=lambda told: told.story.__name__)
async def test_a_change_is_shown_at_once_though_the_quote_was_seen_before(
    service: Service, told: PartnerEvent
) -> None:
    story = told.story(service)
    identifier = await anext(story)
    before = await read(service, identifier)

    with pytest.raises(StopAsyncIteration):
        await anext(story)

    after = await read(service, identifier)
    assert after.content == await built_anew(service, identifier)
    assert after.headers["etag"] != before.headers["etag"]
    unchanged = {path for path in told.changes if fact(before.json(), path) == fact(after.json(), path)}
    assert unchanged == set()


def test_every_fact_that_is_shown_has_a_story_that_changes_it() -> None:
    changed = {path for told in STORIES for path in told.changes}

    assert changed & NEVER_CHANGE == set()
    assert changed | NEVER_CHANGE == set(leaves(QuoteBody))


async def test_nothing_that_is_shown_stays_the_same_answer(service: Service) -> None:
    quote = await one_quoted(service)

    first, again = [await read(service, quote["quote_identifier"]) for _ in range(2)]
    known = await service.get(f"/v2/quotes/{quote['quote_identifier']}", If_None_Match=first.headers["etag"])

    assert first.content == again.content
    assert known.status_code == 304


async def test_a_refused_bind_changes_no_version(service: Service) -> None:
    quote = await one_quoted(service)
    look = "select shown_version from quotes where quote_id = $1::text::uuid"
    pool = service.runtime.database.pool
    before = await pool.fetchval(look, quote["quote_identifier"])

    answer = await ask_to_bind(service, quote, app_attestation=True)

    assert answer.status_code == 400
    assert await pool.fetchval(look, quote["quote_identifier"]) == before


async def test_offering_a_renewal_waits_for_whoever_holds_its_policy(
    service: Service, policy: dict[str, Any]
) -> None:
    # The two show each other and are written together: taken in two orders they would lock each other out.
    runtime = service.runtime
    expiring = uuid.UUID(policy["quote_identifier"])
    await set_day(service, date.fromisoformat(policy["dates"]["expiration"]) - timedelta(days=60))
    await submit_renewal(runtime.database, expiring)
    renewal = await runtime.database.pool.fetchval(
        "select renewal_submission_id from binds where quote_id = $1", expiring
    )

    async with runtime.database.transaction() as tx:
        await lock_quote(tx, expiring)
        offering = asyncio.create_task(process_submission(runtime, renewal))
        async with asyncio.timeout(60):
            while not await runtime.database.pool.fetchval(
                "select count(*) from pg_stat_activity "
                "where wait_event_type = 'Lock' and datname = current_database()"
            ):
                assert not offering.done(), "nobody waited"
                await asyncio.sleep(0.02)
            await submissions.lock_options(tx, [renewal], IN_PIPELINE)
    await offering

    assert (await shown(service, policy["quote_identifier"]))["renewal"]["renewed_by"] is not None
