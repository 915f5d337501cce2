"""Every lever of the demo, as the table in the guide lists them: a row that nothing here runs is missed."""

import asyncio
import contextlib
import re
import uuid
from collections.abc import Awaitable, Callable
from datetime import date, timedelta
from typing import Any

from bindery.actions.desk.take_decisions import play_underwriter
from bindery.actions.signing.play_client import play_client
from bindery.actions.submission.process_submission import process_submission
from bindery.api.guide.pages import PAGE_BY_NAME, source
from bindery.contract.demo import ReviewDecision
from bindery.domain.business_rules import PlayedClient, PlayedDecision
from bindery.outside.scanner.simulated import SLOW_S
from bindery.storage.submission import submissions
from support.binding import bind, decide, issue, move_days, one_quoted, shown, status_of, today
from support.receiver import receiving
from support.service import Service, request_body
from support.telling import deliveries_to, register
from support.underwriters import an_underwriter, give_letter

Lever = Callable[[Service], Awaitable[None]]
ROW = re.compile(r"^\| (?:`([^`]+)`|(any other)) \| (domain|name|review|clock|webhook) \|", re.MULTILINE)
LEVERS: dict[tuple[str, str], Lever] = {}
PROOF = {"type": "post_bind", "text": "Proof that backups are kept offline"}


def lever(where: str, name: str) -> Callable[[Lever], Lever]:
    """Name the row of the table that a function runs."""

    def take(run: Lever) -> Lever:
        LEVERS[where, name] = run
        return run

    return take


async def scanned(service: Service, domain: str) -> dict[str, Any]:
    """Ask for one option for an applicant with a domain."""
    return await one_quoted(service, lambda body: body["client"].update(domains=[domain]))


async def named(service: Service, name: str, **client: Any) -> dict[str, Any]:
    """Ask for one option for an applicant of a name."""
    return await one_quoted(service, lambda body: body["client"].update(name=name, **client))


async def score_of(service: Service, quote: dict[str, Any]) -> int:
    submission_id = await submission_of(service, quote)
    async with service.runtime.database.reading() as tx:
        stored = await submissions.get(tx, submission_id)
    assert stored.scan is not None
    assert stored.scan.score is not None
    return stored.scan.score


async def submission_of(service: Service, quote: dict[str, Any]) -> uuid.UUID:
    found: uuid.UUID = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )
    return found


async def referred(service: Service) -> dict[str, Any]:
    quote = await scanned(service, "red-flags.example.com")
    assert quote["quote_status"] == "quote_referred"
    return quote


async def requested(service: Service, name: str = "Careful (prebind)", **client: Any) -> dict[str, Any]:
    """Bind what an underwriter has to decide about."""
    quote = await named(service, name, **client)
    await decide(service, quote, "add_contingency", contingency={**PROOF, "type": "pre_bind"})
    after = await bind(service, quote)
    assert after["quote_status"] == "quote_bind_requested"
    return after


def codes(quote: dict[str, Any]) -> list[str]:
    return [reason["code"] for reason in quote["referral_reasons"]]


def open_types(quote: dict[str, Any]) -> list[str]:
    return [row["type"] for row in quote["contingencies"] if row["status"] == "open"]


@lever("domain", "clean.example.com")
async def clean(service: Service) -> None:
    quote = await scanned(service, "clean.example.com")

    assert quote["quote_status"] == "published"
    assert await score_of(service, quote) == 95


@lever("domain", "weak.example.com")
async def weak(service: Service) -> None:
    dear, cheap = [await scanned(service, f"{label}.example.com") for label in ("weak", "clean")]

    assert 60 <= await score_of(service, dear) <= 69
    assert (dear["quote_status"], codes(dear)) == ("published", [])
    assert dear["premium"] > cheap["premium"]


@lever("domain", "red-flags.example.com")
async def red_flags(service: Service) -> None:
    for domain in ("red-flags.example.com", "red-flags.anything.example.com"):
        quote = await scanned(service, domain)
        assert (quote["quote_status"], codes(quote)) == ("quote_referred", ["red_flags"])


@lever("domain", "scan-error.example.com")
async def scan_error(service: Service) -> None:
    quote = await scanned(service, "scan-error.example.com")

    assert (quote["quote_status"], codes(quote)) == ("quote_referred", ["scan_failed"])


@lever("domain", "no-data.example.com")
async def no_data(service: Service) -> None:
    quote = await scanned(service, "no-data.example.com")

    assert (quote["quote_status"], codes(quote)) == ("quote_referred", ["nothing_collected"])


@lever("domain", "slow.example.com")
async def slow(service: Service) -> None:
    assert SLOW_S == 30
    body = request_body(lambda body: body["client"].update(domains=["slow.example.com"]))
    option = (await service.submit(body))["quotes"][0]
    working = asyncio.create_task(process_submission(service.runtime, await submission_of(service, option)))
    await scanned(service, "clean.example.com")  # what came later is ready

    answer = await service.get(f"/v2/quotes/{option['quote_identifier']}")

    assert (answer.status_code, working.done()) == (202, False)
    working.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await working


@lever("domain", "calc-error.example.com")
async def calc_error(service: Service) -> None:
    quote = await scanned(service, "calc-error.example.com")

    assert (quote["quote_status"], codes(quote)) == ("quote_referred", ["pricing_failed"])
    assert quote["error_occurred"] is True


@lever("domain", "exposed-2027-03-01.example.com")
async def exposed(service: Service) -> None:
    now = await today(service)
    # The policy begins tomorrow: its first turn is within 30 days of that, and the second after that.
    start, end = now + timedelta(days=2), now + timedelta(days=32)
    policy = await issue(service, await scanned(service, f"exposed-{start}-{end}.example.com"))

    await move_days(service, 31)
    alert = (await service.journal(policy["quote_identifier"]))[-1]
    await move_days(service, 30)
    later = await service.journal(policy["quote_identifier"])

    assert alert.type == "policy.security_alert"
    assert "RDP_OPEN" in alert.data
    assert [entry.type for entry in later].count("policy.security_alert") == 1
    assert await kept_rescans(service) == ["RDP_OPEN", ""]


async def kept_rescans(service: Service) -> list[str]:
    statement = "select alarming::json -> 0 ->> 'check_id' from rescans order by scanned_at"
    return [row[0] or "" for row in await service.runtime.database.pool.fetch(statement)]


@lever("domain", "any other")
async def any_other(service: Service) -> None:
    first, again = [await scanned(service, "harborlight.example") for _ in range(2)]

    assert (first["quote_status"], codes(first)) == ("published", [])
    assert await score_of(service, first) == await score_of(service, again) >= 70
    assert first["premium"] == again["premium"]


@lever("name", "… (approve)")
async def approve_by_name(service: Service) -> None:
    quote = await named(service, "Played (approve)", domains=["red-flags.example.com"])
    asked = await requested(service, "Played (approve)")
    await play_underwriter(
        service.runtime.database, service.runtime.rules, await submission_of(service, asked)
    )

    assert (quote["quote_status"], codes(quote)) == ("published", ["red_flags"])
    assert await status_of(service, asked["quote_identifier"]) == "policy_active"


@lever("name", "… (decline)")
async def decline_by_name(service: Service) -> None:
    quote = await named(service, "Played (decline)", domains=["red-flags.example.com"])
    asked = await requested(service, "Played (decline)")
    await play_underwriter(
        service.runtime.database, service.runtime.rules, await submission_of(service, asked)
    )

    assert quote["quote_status"] == "quote_declined"
    assert await status_of(service, asked["quote_identifier"]) == "quote_declined"


@lever("name", "… (signs)")
async def sign_by_name(service: Service) -> None:
    assert await played_client(service, PlayedClient.SIGNS) == "signature_request.signed"


@lever("name", "… (objects)")
async def object_by_name(service: Service) -> None:
    assert await played_client(service, PlayedClient.OBJECTS) == "signature_request.declined"


async def played_client(service: Service, played: PlayedClient) -> str | None:
    """Send a link, do the worker's part twice, and return the last event of the quote."""
    quote = await named(service, f"Played ({played})")
    path = f"/v2/quotes/{quote['quote_identifier']}/signature_requests"
    sent = (await service.post(path, {"email": "ann@harborlight.example"})).json()
    for _ in range(2):
        await play_client(service.runtime, uuid.UUID(sent["signature_request_id"]))
    return (await service.journal(quote["quote_identifier"]))[-1].type


@lever("name", "… (prebind)")
async def prebind_by_name(service: Service) -> None:
    quote = await named(service, "Careful (prebind)")

    assert quote["quote_status"] == "published"
    assert "pre_bind" in open_types(quote)


@lever("name", "… (bor)")
async def block_by_name(service: Service) -> None:
    answer = await service.post(
        "/v2/quotes", request_body(lambda body: body["client"].update(name="Taken (bor)"))
    )

    assert answer.status_code == 400
    assert answer.json()["reasons"] == {"domain": "domain_exists", "address": "address_exists"}


@lever("review", "approve")
async def approve(service: Service) -> None:
    terms = {"aggregate_retention": 10_000}
    published = await decide(service, await referred(service), "approve", terms=terms)
    bound = await decide(service, await requested(service), "approve")

    assert (published["quote_status"], published["aggregate_retention"]) == ("published", 10_000)
    assert bound["quote_status"] == "policy_active"


@lever("review", "decline")
async def decline(service: Service) -> None:
    for quote in (await referred(service), await requested(service)):
        declined = await decide(service, quote, "decline", reason="Outside our appetite.")
        assert declined["quote_status"] == "quote_declined"


@lever("review", "revoke")
async def revoke(service: Service) -> None:
    revoked = await decide(service, await one_quoted(service), "revoke", reason="Priced in error.")

    assert revoked["quote_status"] == "quote_revoked"


@lever("review", "withdraw")
async def withdraw(service: Service) -> None:
    withdrawn = await decide(service, await one_quoted(service), "withdraw", reason="Priced in error.")

    assert (withdrawn["quote_status"], withdrawn["decision"]["kind"]) == ("quote_revoked", "revoked")


@lever("review", "amend")
async def amend(service: Service) -> None:
    quote = await one_quoted(service)
    body = {"reason": "The loss runs came in.", "terms": {"aggregate_retention": 25_000}}

    amended = await decide(service, quote, "amend", **body)

    assert (amended["quote_status"], amended["aggregate_retention"]) == ("published", 25_000)
    assert amended["quote_identifier"] == quote["quote_identifier"]
    (amendment,) = amended["amendments"]
    assert [change["path"] for change in amendment["changes"]] == ["aggregate_retention", "premium"]


@lever("review", "ask")
async def ask(service: Service) -> None:
    asked = await decide(service, await referred(service), "ask", reason="Is RDP closed?")

    assert asked["quote_status"] == "quote_referred"
    assert [(row["status"], row["text"]) for row in asked["questions"]] == [("open", "Is RDP closed?")]


@lever("review", "go_on")
async def go_on(service: Service) -> None:
    asked = await decide(service, await referred(service), "ask", reason="Is RDP closed?")

    after = await decide(service, asked, "go_on")

    assert [row["status"] for row in after["questions"]] == ["withdrawn"]


@lever("review", "send_back")
async def send_back(service: Service) -> None:
    back = await decide(service, await requested(service), "send_back", reason="On another day, please.")

    assert back["quote_status"] == "published"


async def changing(service: Service) -> tuple[dict[str, Any], str]:
    """Return a policy, and the address of a change of it that an underwriter has to decide about."""
    policy = await issue(service, await one_quoted(service))
    changes = f"/v2/policies/{policy['quote_identifier']}/changes"
    effective = policy["dates"]["effective"]
    ask = {"effective": effective, "changes": {"aggregate_limit": 10_000_000}, "reason": "A contract asks."}
    change = (await service.post(changes, ask)).json()["change_id"]
    accepted = await service.post(f"{changes}/{change}/accept", None)
    assert accepted.json()["status"] == "referred"
    return policy, f"{changes}/{change}"


@lever("review", "approve_change")
async def approve_change(service: Service) -> None:
    policy, change = await changing(service)

    after = await decide(service, policy, "approve_change", reason="Well protected.")

    assert after["aggregate_limit"] == 10_000_000
    assert (await service.get(change)).json()["status"] == "issued"


@lever("review", "decline_change")
async def decline_change(service: Service) -> None:
    policy, change = await changing(service)

    after = await decide(service, policy, "decline_change", reason="Too much for a bakery.")

    assert after["aggregate_limit"] == policy["aggregate_limit"]
    assert (await service.get(change)).json()["status"] == "declined"


@lever("review", "add_contingency")
async def add_contingency(service: Service) -> None:
    quote = await one_quoted(service)

    after = await decide(service, quote, "add_contingency", contingency=PROOF)

    assert len(open_types(after)) == len(open_types(quote)) + 1


@lever("review", "close_contingency")
async def close_contingency(service: Service) -> None:
    quote = await one_quoted(service)
    binder = await bind(service, quote)

    (owed,) = binder["contingencies"]
    policy = await decide(service, quote, "close_contingency", contingency_id=owed["contingency_id"])

    assert (binder["binder"]["conditional"], policy["binder"]["conditional"]) == (True, False)
    assert open_types(policy) == []


@lever("review", "cancel")
async def cancel(service: Service) -> None:
    policy = await issue(service, await one_quoted(service))

    canceled = await decide(service, policy, "cancel", text="Asked for by the insured.")

    assert canceled["quote_status"] == "policy_canceled"
    assert canceled["decision"]["returned_premium"] is not None


@lever("review", "reinstate")
async def reinstate(service: Service) -> None:
    policy = await issue(service, await one_quoted(service))
    await decide(service, policy, "cancel", text="Asked for by the insured.")

    reinstated = await decide(service, policy, "reinstate", reason="Paid after all.")

    assert reinstated["quote_status"] == "policy_active"


async def near_its_end(service: Service) -> dict[str, Any]:
    policy = await issue(service, await one_quoted(service))
    ends = date.fromisoformat(policy["dates"]["expiration"])
    await move_days(service, (ends - await today(service)).days - 80)
    return policy


@lever("review", "hold_renewal")
async def hold_renewal(service: Service) -> None:
    held = await decide(service, await near_its_end(service), "hold_renewal", reason="Losses.")
    await move_days(service, 20)

    renewed = await shown(service, held["quote_identifier"])
    assert (renewed["renewal"]["state"], renewed["renewal"]["stopped_by"]) == ("referred", "held")


@lever("review", "not_renew")
async def not_renew(service: Service) -> None:
    ends = await decide(service, await near_its_end(service), "not_renew", reason="security")

    assert (ends["renewal"]["state"], ends["nonrenewal"]["reason"]) == ("ends", "security")


@lever("review", "renew_after_all")
async def renew_after_all(service: Service) -> None:
    policy = await near_its_end(service)
    ends = await decide(service, policy, "not_renew", reason="We have left this trade.")
    assert (ends["nonrenewal"]["reason"], ends["nonrenewal"]["text"]) == ("other", "We have left this trade.")

    again = await decide(service, policy, "renew_after_all", reason="A mistake.")

    assert (again["renewal"]["state"], again["nonrenewal"]) == ("not_due", None)


@lever("review", "second_approval")
async def second_approval(service: Service) -> None:
    uma, ann = await an_underwriter(service, "Uma"), await an_underwriter(service, "Ann")
    await give_letter(service, uma, aggregate_limit=500_000)
    quote = await scanned(service, "red-flags.example.com")
    sent = await decide(service, quote, "approve", reason="Known.", underwriter=uma.email, send_to=ann.email)

    after = await decide(service, quote, "second_approval", underwriter=ann.email)

    assert (sent["quote_status"], after["quote_status"]) == ("quote_referred", "published")


@lever("clock", "advance_days")
async def advance_days(service: Service) -> None:
    quote, bound = await one_quoted(service), await one_quoted(service)
    await bind(service, bound)

    await move_days(service, 61)

    assert await status_of(service, quote["quote_identifier"]) == "quote_expired"
    assert await status_of(service, bound["quote_identifier"]) != "policy_active"


@lever("webhook", "times")
async def fail(service: Service) -> None:
    async with receiving() as receiver:
        webhook_id = await register(service, receiver.url)
        await service.post(f"/v2/demo/webhooks/{webhook_id}/fail", {"times": 2})
        await service.post(f"/v2/webhooks/{webhook_id}/ping")
        for _ in range(3):
            await move_days(service, 1)
        deliveries = await deliveries_to(service, webhook_id)

    (ping,) = [row for row in deliveries if row["type"] == "webhook.ping"]
    assert [attempt["status_code"] for attempt in ping["attempts"]] == [503, 503, 200]
    assert [received.type for received in receiver.got].count("webhook.ping") == 1


async def test_every_lever_of_the_table_does_what_it_says(service: Service) -> None:
    table = ROW.findall(source(PAGE_BY_NAME["demo"]))
    rows = [(where, named_lever or other) for named_lever, other, where in table]

    assert sorted(rows) == sorted(LEVERS)
    for row in rows:
        await LEVERS[row](service)


def test_the_table_has_every_lever_of_the_program() -> None:
    assert {name for where, name in LEVERS if where == "review"} == set(ReviewDecision)
    played = {f"… ({played})" for played in (*PlayedDecision, *PlayedClient)}
    assert played <= {name for _, name in LEVERS}
