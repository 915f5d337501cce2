"""A policy is changed during its term: priced, accepted, issued or decided, with ledger, papers and event."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import httpx
import pytest

from bindery.cli.book import look_at_book
from bindery.storage.policy import binders
from documents.reading import text_of
from scenarios.test_ledger import booked
from support.binding import decide, issue, move_days, one_quoted, review, set_day, shown, told
from support.book import BINDER, binder_file, import_file, of_state
from support.service import Service

DAY = date(2027, 3, 1)
CALL_BACK = "This endorsement changes the policy. All other terms remain unchanged."
MORE = {"aggregate_limit": 2_000_000}


@pytest.fixture
async def service(service: Service) -> Service:
    await set_day(service, DAY)
    return service


@pytest.fixture
async def policy(service: Service) -> dict[str, Any]:
    policy = await issue(service, await one_quoted(service, of_state("CA")))
    await move_days(service, 60)
    return policy


def path(policy: dict[str, Any], *more: str) -> str:
    return "/".join(("/v2/policies", policy["quote_identifier"], "changes", *more))


async def try_change(
    service: Service, policy: dict[str, Any], changes: dict[str, Any], **more: Any
) -> httpx.Response:
    day = await service.runtime.database.today()
    asked = {"effective": day.isoformat(), "changes": changes, "reason": "Asked for by a customer.", **more}
    return await service.post(path(policy), asked)


async def ask(
    service: Service, policy: dict[str, Any], changes: dict[str, Any], **more: Any
) -> dict[str, Any]:
    answer = await try_change(service, policy, changes, **more)
    assert answer.status_code == 200, answer.text
    change: dict[str, Any] = answer.json()
    return change


async def accept(service: Service, policy: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    answer = await service.post(path(policy, change["change_id"], "accept"), None)
    assert answer.status_code == 200, answer.text
    after: dict[str, Any] = answer.json()
    return after


async def paper(service: Service, policy: dict[str, Any], kind: str, version: int | None = None) -> str:
    query = f"?version={version}" if version else ""
    answer = await service.get(f"/v2/quotes/{kind}/{policy['quote_identifier']}{query}")
    assert answer.status_code == 200, answer.text
    return " ".join(text_of(answer.content).split())


async def check_book(service: Service) -> None:
    async with service.runtime.database.snapshot() as tx:
        found = await look_at_book(tx)
    assert [flaw for each in found.values() for flaw in each.findings] == []


async def test_nothing_is_changed_until_a_change_is_accepted(
    service: Service, policy: dict[str, Any]
) -> None:
    change = await ask(service, policy, MORE)

    now = await shown(service, policy["quote_identifier"])
    assert change["status"] == "quoted"
    assert change["referral_reasons"] == []
    assert change["endorsement"] is None
    assert {**now, "updated_at": None} == {**policy, "updated_at": None}
    assert [row.kind for row in await booked(service, policy)] == ["original"]
    assert (await service.get(path(policy))).json() == {"changes": [change]}
    assert (await service.get(path(policy, change["change_id"]))).json() == change


async def test_the_premium_is_the_difference_of_the_term_for_the_days_left(
    service: Service, policy: dict[str, Any]
) -> None:
    change = await ask(service, policy, MORE)

    exact = Decimal(change["premium_after"] - change["premium_before"]) * 307 / 366
    assert change["premium_before"] == policy["premium"]
    assert change["premium_after"] > change["premium_before"]
    assert (change["days"], change["days_left"]) == (366, 307)
    assert change["premium_difference"] == int(exact + Decimal("0.5"))
    # California: 3 % tax and 0.18 % stamping fee.
    charges = {row["title"]: row["price"] for row in change["charges"]}
    assert charges["Surplus lines tax"] == pytest.approx(change["premium_difference"] * 0.03, abs=0.006)
    assert change["total"] == pytest.approx(change["premium_difference"] + sum(charges.values()))
    assert change["valid_until"] == (await service.runtime.database.today() + timedelta(days=30)).isoformat()


async def test_an_accepted_change_is_in_policy_ledger_papers_journal_and_event(
    service: Service, policy: dict[str, Any]
) -> None:
    change = await accept(service, policy, await ask(service, policy, MORE))

    now = await shown(service, policy["quote_identifier"])
    first, second = await booked(service, policy)
    (entry,) = [
        row for row in await service.journal(policy["quote_identifier"]) if row.type == "policy.changed"
    ]
    assert (change["status"], change["endorsement"]) == ("issued", 1)
    assert (now["aggregate_limit"], now["per_claim_limit"]) == (2_000_000, 2_000_000)
    assert now["premium"] == policy["premium"] + change["premium_difference"]
    assert now["available_documents"].count("endorsement") == 1
    assert (second.kind, second.premium) == ("endorsement", change["premium_difference"])
    assert [float(line.price) for line in second.charges] == [row["price"] for row in change["charges"]]
    assert sum(row["price"] for row in now["surcharges"]) == pytest.approx(
        float(first.charges_total + second.charges_total)
    )
    assert second.journal_entry == entry.entry
    said = json.loads(entry.data)
    assert (said["changed"], said["endorsement"]) == (["aggregate_limit"], 1)
    assert (said["premium_difference"], said["premium"]) == (change["premium_difference"], now["premium"])
    await check_book(service)

    endorsement = await paper(service, policy, "endorsement")
    assert "END 0650 01 26" in endorsement
    assert "Aggregate limit $1,000,000 $2,000,000" in endorsement
    assert "Declarations from April 30, 2027" in endorsement
    assert f"Total ${now['premium'] + sum(row['price'] for row in now['surcharges']):,.2f}" in endorsement
    assert "$2,000,000" in await paper(service, policy, "certificate")
    assert "$2,000,000" not in await paper(service, policy, "certificate", 1)
    assert (await service.get(f"/v2/quotes/policy/{policy['quote_identifier']}")).status_code == 200


async def test_less_cover_is_returned_with_what_the_state_returns(
    service: Service, policy: dict[str, Any]
) -> None:
    change = await accept(service, policy, await ask(service, policy, {"aggregate_limit": 500_000}))

    assert change["premium_difference"] < 0
    assert change["total"] < change["premium_difference"]
    row = (await booked(service, policy))[-1]
    assert (row.kind, row.premium) == ("endorsement", change["premium_difference"])
    assert "Returned" in await paper(service, policy, "endorsement")
    await check_book(service)


async def test_a_change_brings_the_text_of_a_form_that_the_policy_had_not(service: Service) -> None:
    def small(body: dict[str, Any]) -> None:
        of_state("CA")(body)
        body["policy"]["quotes"] = [{"aggregate_limit": 250_000}]

    policy = await issue(service, await one_quoted(service, small))
    await move_days(service, 1)
    before = await paper(service, policy, "policy")
    await accept(service, policy, await ask(service, policy, {"aggregate_limit": 1_000_000}))
    raised = await paper(service, policy, "endorsement", 1)
    await accept(service, policy, await ask(service, policy, {"aggregate_limit": 2_000_000}))
    again = await paper(service, policy, "endorsement", 2)
    await accept(service, policy, await ask(service, policy, {"aggregate_limit": 250_000}))
    lowered = await paper(service, policy, "endorsement", 3)

    assert "END 1010" not in before
    assert "Forms None END 1010 01 26, Social Engineering Call-Back Condition" in raised
    assert CALL_BACK in raised
    assert "Forms None" not in again
    assert "END 1010 01 26" in again, "it stays in the schedule of forms"
    assert CALL_BACK not in again + lowered
    assert "Forms END 1010 01 26, Social Engineering Call-Back Condition None" in lowered


async def test_the_insured_is_changed_wherever_it_is_shown(service: Service, policy: dict[str, Any]) -> None:
    asked = {
        "dba": "Lamplight Bread",
        "address": {"street": "9 Specimen Way", "city": "Oakland", "zip": "94607"},
        "additional_insured": [{"name": "Example Property Trust", "interest": "Landlord"}],
        "contacts": {"insured_main_contact": {"email": "new@lamplight.example", "first_name": "Nora"}},
    }
    change = await accept(service, policy, await ask(service, policy, asked))

    now = await shown(service, policy["quote_identifier"])
    text = await paper(service, policy, "endorsement")
    certificate = await paper(service, policy, "certificate")
    assert (change["status"], change["premium_difference"], change["total"]) == ("issued", 0, 0)
    assert now["premium"] == policy["premium"]
    assert now["client"]["dba"] == "Lamplight Bread"
    assert now["client"]["address"]["street"] == "9 Specimen Way"
    assert now["client"]["insured_main_contact"]["email"] == "new@lamplight.example"
    assert "Nothing is due and nothing is returned" in text
    assert "Example Property Trust, Landlord" in text
    assert "9 Specimen Way Oakland, CA 94607" in text
    assert "9 Specimen Way" in certificate
    signed = (await paper(service, policy, "policy")).partition("; fingerprint ")[2].split()[0]
    assert f"fingerprint {signed}" in text
    await check_book(service)


Change = Callable[[Service, dict[str, Any]], Awaitable[httpx.Response]]


def with_day(days: int, **changes: Any) -> Change:
    async def send(service: Service, policy: dict[str, Any]) -> httpx.Response:
        day = await service.runtime.database.today() + timedelta(days=days)
        return await try_change(service, policy, changes or MORE, effective=day.isoformat())

    return send


def with_changes(**changes: Any) -> Change:
    return lambda service, policy: try_change(service, policy, changes)


REFUSED: tuple[tuple[Change, list[tuple[str, str]]], ...] = (
    (with_day(-60), [("effective", "outside_term")]),
    (with_day(-31), [("effective", "too_early")]),
    (with_day(307), [("effective", "outside_term")]),
    (with_day(-1), [("no_known_loss", "required")]),
    (with_changes(), [("changes", "nothing_changed")]),
    (with_changes(aggregate_limit=1_000_000), [("changes", "nothing_changed")]),
    (with_changes(name="  "), [("changes.name", "blank")]),
    (
        with_changes(address={"street": "1 Main Street", "city": "Portland", "zip": "97201"}),
        [("changes.address", "other_state")],
    ),
    (
        with_changes(aggregate_limit=3, domains=["no domain"], surprise=1),
        [
            ("changes.aggregate_limit", "not_allowed"),
            ("changes.surprise", "unknown_field"),
        ],
    ),
    (
        with_changes(
            domains=["no domain"],
            per_claim_limit=5_000_000,
            contacts={"insured_main_contact": {"email": "nobody"}},
            address={"street": " ", "city": "Oakland", "zip": "1"},
        ),
        [
            ("changes.address.street", "blank"),
            ("changes.address.zip", "not_a_zip"),
            ("changes.contacts.insured_main_contact.email", "not_an_email"),
            ("changes.domains[0]", "not_a_domain"),
            ("changes.per_claim_limit", "above_aggregate"),
        ],
    ),
)


async def test_what_cannot_be_changed_is_refused_with_every_problem(
    service: Service, policy: dict[str, Any], subtests: pytest.Subtests
) -> None:
    for number, (send, problems) in enumerate(REFUSED):
        with subtests.test(number=number):
            answer = await send(service, policy)

            assert answer.status_code == 400, answer.text
            found = [(row["path"], row["code"]) for row in answer.json()["errors"]]
            assert sorted(found) == problems
    assert (await service.get(path(policy))).json() == {"changes": []}
    answer = await with_day(-30)(service, policy)
    assert answer.json()["errors"][0]["path"] == "no_known_loss"
    day = await service.runtime.database.today() - timedelta(days=30)
    backdated = await ask(service, policy, MORE, effective=day.isoformat(), no_known_loss=True)
    assert backdated["days_left"] == 337


async def test_a_second_change_waits_for_the_first_and_changes_keep_their_order(
    service: Service, policy: dict[str, Any]
) -> None:
    first = await ask(service, policy, MORE)
    second = await try_change(service, policy, {"dba": "Lamplight Bread"})

    assert (second.status_code, second.json()["code"]) == (409, "change_open")
    assert first["change_id"] in second.json()["message"]
    withdrawn = await service.post(path(policy, first["change_id"], "withdraw"), None)
    assert withdrawn.json()["status"] == "withdrawn"
    too_late = await service.post(path(policy, first["change_id"], "accept"), None)
    assert (too_late.status_code, too_late.json()["code"]) == (409, "change_settled")

    await accept(service, policy, await ask(service, policy, MORE))
    answer = await with_day(-1, dba="Lamplight Bread")(service, policy)
    assert [row["code"] for row in answer.json()["errors"]] == ["out_of_sequence"]
    again = await accept(service, policy, await ask(service, policy, {"aggregate_limit": 3_000_000}))
    assert again["endorsement"] == 2
    assert [row.kind for row in await booked(service, policy)] == ["original", "endorsement", "endorsement"]
    await check_book(service)


async def test_a_change_that_nobody_accepts_in_time_makes_room_for_another(
    service: Service, policy: dict[str, Any]
) -> None:
    first = await ask(service, policy, MORE)
    await move_days(service, 31)

    late = await service.post(path(policy, first["change_id"], "accept"), None)
    second = await ask(service, policy, MORE)

    assert (late.status_code, late.json()["code"]) == (409, "change_settled")
    assert (await service.get(path(policy, first["change_id"]))).json()["status"] == "expired"
    assert second["premium_difference"] < first["premium_difference"]


async def test_what_is_beyond_authority_is_decided_by_an_underwriter(
    service: Service, policy: dict[str, Any]
) -> None:
    change = await ask(service, policy, {"aggregate_limit": 10_000_000})
    referred = await accept(service, policy, change)
    waiting = await desk_kinds(service)

    assert [row["code"] for row in change["referral_reasons"]] == ["limit_above_authority"]
    assert referred["status"] == "referred"
    assert waiting == ["change"]
    assert [row.kind for row in await booked(service, policy)] == ["original"]
    await decide(service, policy, "decline_change", reason="Too much for a bakery.")
    declined = (await service.get(path(policy, change["change_id"]))).json()
    assert (declined["status"], declined["answer"]) == ("declined", "Too much for a bakery.")
    assert (await told(service, policy["quote_identifier"]))[-1] == "policy.change_declined"

    again = await accept(service, policy, await ask(service, policy, {"aggregate_limit": 10_000_000}))
    after = await decide(service, policy, "approve_change", reason="Fine.")
    twice = await review(service, policy, "approve_change", reason="Fine.")
    assert again["status"] == "referred"
    assert after["aggregate_limit"] == 10_000_000
    assert twice.status_code == 400
    assert await desk_kinds(service) == []
    await check_book(service)


async def test_a_cancellation_after_a_change_earns_each_part_by_its_own_days(
    service: Service, policy: dict[str, Any]
) -> None:
    change = await accept(service, policy, await ask(service, policy, MORE))
    await move_days(service, 100)
    canceled = await decide(service, policy, "cancel", reason="nonpayment", text="Not paid.")

    end = date.fromisoformat(canceled["cancellation"]["effective"])
    start = date.fromisoformat(policy["dates"]["effective"])
    used = (end - start).days
    since = (end - date.fromisoformat(change["effective"])).days
    exact = Decimal(policy["premium"]) * used / 366 + Decimal(change["premium_difference"]) * since / 307
    assert canceled["cancellation"]["earned"] == int(exact + Decimal("0.5"))
    await check_book(service)
    await decide(service, policy, "reinstate", reason="Paid.")
    await accept(service, policy, await ask(service, policy, {"aggregate_limit": 3_000_000}))
    await check_book(service)


async def test_the_least_that_is_earned_after_a_change_is_called_so_on_the_notice(service: Service) -> None:
    policy = await issue(service, await one_quoted(service, of_state("CA")))
    await move_days(service, 10)
    await accept(service, policy, await ask(service, policy, MORE))
    canceled = await decide(service, policy, "cancel")

    charged = (await shown(service, policy["quote_identifier"]))["premium"]
    least = int(Decimal(charged) / 4 + Decimal("0.5"))
    assert canceled["cancellation"]["earned"] == least
    notice = await paper(service, policy, "cancellation_notice")
    assert f"Minimum earned premium 25.00% \N{MINUS SIGN}${least:,}.00" in notice


async def test_an_open_change_ends_with_the_policy(service: Service, policy: dict[str, Any]) -> None:
    change = await ask(service, policy, MORE)
    await decide(service, policy, "cancel")

    answers = [
        await service.post(path(policy, change["change_id"], "accept"), None),
        await try_change(service, policy, MORE),
    ]

    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [
        (409, "change_settled"),
        (400, "wrong_state"),
    ]


async def test_a_renewal_is_made_of_what_the_policy_is_after_the_change(
    service: Service, policy: dict[str, Any]
) -> None:
    await move_days(service, 250)
    first = (await shown(service, policy["quote_identifier"]))["renewal"]["renewed_by"]
    await accept(service, policy, await ask(service, policy, {**MORE, "dba": "Lamplight Bread"}))
    await move_days(service, 1)
    second = (await shown(service, policy["quote_identifier"]))["renewal"]["renewed_by"]

    assert (await shown(service, first))["quote_status"] == "quote_revoked"
    renewal = await shown(service, second)
    assert renewal["aggregate_limit"] == 2_000_000
    assert renewal["client"]["dba"] == "Lamplight Bread"


async def test_the_binder_has_the_premium_of_changes(service: Service) -> None:
    assert await import_file(service, BINDER.encode()) == []
    policy = await issue(service, await one_quoted(service, of_state("CA")))
    change = await accept(service, policy, await ask(service, policy, MORE, effective="2027-03-02"))
    assert await used(service) == policy["premium"] + change["premium_difference"]
    assert (
        await import_file(
            service, binder_file(premium_limit=policy["premium"] + change["premium_difference"])
        )
        == []
    )

    more = await ask(service, policy, {"aggregate_limit": 3_000_000}, effective="2027-03-02")
    assert [row["code"] for row in more["referral_reasons"]] == ["capacity_exhausted"]
    await accept(service, policy, more)
    refused = await review(service, policy, "approve_change", reason="Fine.")
    assert refused.json()["errors"][0]["code"] == "capacity_exhausted"
    assert await import_file(service, BINDER.encode()) == []
    await decide(service, policy, "approve_change", reason="There is room now.")
    assert await used(service) == sum(row.premium for row in await booked(service, policy))
    less = await ask(service, policy, {"aggregate_limit": 250_000}, effective="2027-03-02")
    await accept(service, policy, less)
    assert less["premium_difference"] < 0
    assert await used(service) == sum(row.premium for row in await booked(service, policy))
    await check_book(service)


async def desk_kinds(service: Service) -> list[str]:
    rows = await service.runtime.database.pool.fetch("select kind from desk_items where closed_at is null")
    return [row["kind"] for row in rows]


async def used(service: Service) -> int:
    async with service.runtime.database.reading() as tx:
        return sum(binder.premium_booked for binder in await binders.list_binders(tx))


async def test_of_two_at_once_one_happens(service: Service, policy: dict[str, Any]) -> None:
    asked = await asyncio.gather(*(try_change(service, policy, MORE) for _ in range(4)))
    assert sorted(answer.status_code for answer in asked) == [200, 409, 409, 409]
    (change,) = [answer.json() for answer in asked if answer.status_code == 200]
    accepted = await asyncio.gather(*(accept(service, policy, change) for _ in range(4)))
    assert {after["status"] for after in accepted} == {"issued"}
    assert len(await booked(service, policy)) == 2

    other = await ask(service, policy, {"aggregate_limit": 3_000_000})
    outcome = await asyncio.gather(
        service.post(path(policy, other["change_id"], "accept"), None), review(service, policy, "cancel")
    )
    kinds = [row.kind for row in await booked(service, policy)]
    assert outcome[1].status_code == 200
    assert (outcome[0].status_code, kinds[2:]) in (
        (200, ["endorsement", "cancellation"]),
        (409, ["cancellation"]),
    )
    await check_book(service)
