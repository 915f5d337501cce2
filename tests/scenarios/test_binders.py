"""Binders: a policy is written on the one of its first day, and its premium never passes a limit."""

import json
import uuid
from datetime import date, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from bindery.cli.book import look_at_book
from bindery.storage.policy import binders
from scenarios.test_ledger import booked
from support.binding import (
    bind,
    decide,
    move_days,
    move_to,
    one_quoted,
    review,
    set_day,
    shown,
    told,
)
from support.book import BINDER, binder_file, import_file, issued, named
from support.last_dollars import race, without_deadlocks
from support.service import Service, serving

DAY = date(2027, 3, 1)


@pytest.fixture
async def service(service: Service) -> Service:
    await set_day(service, DAY)
    return service


@pytest.fixture
async def bound_by(service: Service) -> Service:
    """The service with a binder on file."""
    assert await import_file(service, BINDER.encode()) == []
    return service


async def used(service: Service) -> int:
    async with service.runtime.database.reading() as tx:
        return sum(binder.premium_booked for binder in await binders.list_binders(tx))


def commission_at_22_5(premium: int) -> Decimal:
    """Return 22.5 %, half a cent rounded up."""
    return Decimal((premium * 225 + 5) // 10) / 100


async def check_book(service: Service) -> None:
    async with service.runtime.database.snapshot() as tx:
        found = await look_at_book(tx)
    assert [flaw for each in found.values() for flaw in each.findings] == []


async def test_a_policy_is_written_on_its_section_with_its_commission(bound_by: Service) -> None:
    policy = await issued(bound_by)

    (row,) = await booked(bound_by, policy)

    assert row.section_id is not None
    assert row.commission_rate == Decimal("22.5")
    assert row.commission == commission_at_22_5(policy["premium"])
    assert await used(bound_by) == policy["premium"]
    await check_book(bound_by)


async def test_before_there_is_a_binder_policies_are_bound_on_none_and_listed_as_exceptions(
    service: Service,
) -> None:
    policy = await issued(service)
    await import_file(service, BINDER.encode())
    await decide(service, policy, "cancel")

    rows = await booked(service, policy)

    assert [(row.section_id, row.commission) for row in rows] == [(None, None)] * 2
    assert await used(service) == 0
    async with service.runtime.database.reading() as tx:
        assert await binders.count_without(tx) == 1
    await check_book(service)


OUTSIDE = (
    ({"states_excluded": '["CA"]'}, "No binder covers CYB in CA from 2027-03-02."),
    ({"inception": "2027-03-03"}, "No binder covers CYB in CA from 2027-03-02."),
    ({"limit": "10_000"}, "Outside section Cyber of binder SAMPLE-2027: its limit of $"),
    (
        {"premium_limit": "100"},
        "Binder SAMPLE-2027 has $100 left of its premium limit of $100, and",
    ),
)


async def test_what_no_binder_covers_is_never_bound_in_silence(
    service: Service, subtests: pytest.Subtests
) -> None:
    for number, (changes, words) in enumerate(OUTSIDE):
        with subtests.test(words):
            assert await import_file(service, BINDER.encode()) == []
            quote = await one_quoted(service, named(number))
            assert await import_file(service, binder_file(**changes)) == []
            foreseen = await bind(service, quote)
            refused = await review(service, quote, "approve", reason="All right.")

            assert foreseen["quote_status"] == "quote_bind_requested"
            (owed,) = [row for row in foreseen["contingencies"] if row["type"] == "pre_bind"]
            assert owed["text"].startswith("The insurer's authority for this policy, before the bind: ")
            assert words in owed["text"]
            assert refused.status_code == 400
            assert refused.json()["errors"][0]["code"] in {"outside_binder", "capacity_exhausted"}
            assert words in refused.json()["errors"][0]["message"]
            assert await booked(service, quote) == []
            assert await used(service) == 0
            assert "policy.bound" not in await told(service, quote["quote_identifier"])

    # With a wider binder the underwriter binds what waits.
    assert await import_file(service, BINDER.encode()) == []
    approved = await decide(service, quote, "approve", reason="There is room now.")
    assert approved["quote_status"] == "policy_active"
    assert await used(service) == approved["premium"]
    await check_book(service)


async def test_the_last_dollar_of_a_limit_can_be_written_and_no_further_one(service: Service) -> None:
    first, second = [await one_quoted(service, named(number)) for number in range(2)]
    await import_file(service, binder_file(premium_limit=first["premium"] + second["premium"] - 1))

    one, other = await bind(service, first), await bind(service, second)

    assert (one["quote_status"], other["quote_status"]) == ("policy_active", "quote_bind_requested")
    await import_file(service, binder_file(premium_limit=first["premium"] + second["premium"]))
    await decide(service, second, "approve", reason="It fits.")
    assert await used(service) == first["premium"] + second["premium"]


async def test_what_is_canceled_or_lapses_gives_its_premium_back(bound_by: Service) -> None:
    policy = await issued(bound_by)
    lapsing = await one_quoted(bound_by, named(7))
    await bind(bound_by, lapsing)
    before = await used(bound_by)
    await move_days(bound_by, 31)
    canceled = await decide(bound_by, policy, "cancel")

    assert before == policy["premium"] + lapsing["premium"]
    assert await used(bound_by) == canceled["cancellation"]["earned"]
    rows = await booked(bound_by, policy)
    assert rows[1].commission == -commission_at_22_5(-rows[1].premium)
    await check_book(bound_by)


async def test_a_reinstatement_for_which_there_is_no_room_any_more_is_refused(bound_by: Service) -> None:
    policy = await issued(bound_by)
    await decide(bound_by, policy, "cancel", reason="not_taken_up", effective=policy["dates"]["effective"])
    await import_file(bound_by, binder_file(premium_limit=policy["premium"] - 1))

    refused = await review(bound_by, policy, "reinstate", reason="Paid.")
    await import_file(bound_by, binder_file(premium_limit=policy["premium"]))
    after = await decide(bound_by, policy, "reinstate", reason="Paid.")

    assert refused.status_code == 400
    assert refused.json()["errors"][0]["code"] == "capacity_exhausted"
    assert after["quote_status"] == "policy_active"
    assert await used(bound_by) == policy["premium"]
    assert [row.kind for row in await booked(bound_by, policy)] == [
        "original",
        "cancellation",
        "reinstatement",
    ]
    await check_book(bound_by)


async def test_a_binder_ends_at_midnight_of_the_business(service: Service) -> None:
    await import_file(service, binder_file(expiry="2027-03-11"))
    quotes = [await one_quoted(service, named(number)) for number in range(2)]
    # In New York it is still the 10th; in London it has been the 11th for hours.
    await set_day(service, date(2027, 3, 10), at=time(23, 59, 30))
    last = await bind(service, quotes[0], dates={"effective": "2027-03-10"})
    await set_day(service, date(2027, 3, 11), at=time(0, 0, 1))
    late = await bind(service, quotes[1], dates={"effective": "2027-03-11"})

    assert (last["quote_status"], late["quote_status"]) == ("policy_active", "quote_bind_requested")


FOLLOWING = binder_file(agreement='"SAMPLE-2028"', inception="2028-03-01", expiry="2029-03-01")


async def renewal_of(service: Service, policy: dict[str, Any], *, days_before: int) -> dict[str, Any]:
    """Go to so many days before the end of a policy, and return its renewal as it is then."""
    day = date.fromisoformat(policy["dates"]["expiration"]) - timedelta(days_before)
    await move_to(service, day)
    found = await service.runtime.database.pool.fetchval(
        "select quote_id from quotes join submissions using (submission_id) where renews = $1",
        uuid.UUID(policy["quote_identifier"]),
    )
    return await shown(service, str(found))


async def test_a_renewal_looks_at_the_binder_of_its_own_day(bound_by: Service) -> None:
    policy = await issued(bound_by)
    referred = await renewal_of(bound_by, policy, days_before=50)
    assert await import_file(bound_by, FOLLOWING) == []
    offered = await decide(bound_by, referred, "approve", reason="The next binder is here.")
    renewed = await renewal_of(bound_by, policy, days_before=0)

    assert referred["quote_status"] == "quote_referred"
    assert "outside_binder" in await reasons(bound_by, referred)
    assert offered["quote_status"] == "offer_email"
    assert renewed["quote_status"] == "policy_active"
    assert (await booked(bound_by, policy))[0].section_id != (await booked(bound_by, renewed))[0].section_id
    await check_book(bound_by)


async def test_a_renewal_that_does_not_fit_any_more_waits_for_an_underwriter(bound_by: Service) -> None:
    policy = await issued(bound_by)
    assert await import_file(bound_by, FOLLOWING) == []
    offered = await renewal_of(bound_by, policy, days_before=50)
    full = FOLLOWING.replace(b"premium_limit = 1_000_000", b"premium_limit = 10")
    assert await import_file(bound_by, full) == []

    renewal = await renewal_of(bound_by, policy, days_before=0)

    assert offered["quote_status"] == "offer_email"
    assert renewal["quote_status"] == "quote_bind_requested"
    texts = " ".join(row["text"] for row in renewal["contingencies"])
    assert "Binder SAMPLE-2028 has $10 left of its premium limit of $10, and" in texts
    assert await import_file(bound_by, FOLLOWING) == []
    bound = await decide(bound_by, renewal, "approve", reason="There is room now.")
    assert bound["quote_status"] == "policy_active"
    await check_book(bound_by)


async def reasons(service: Service, quote: dict[str, Any]) -> list[str]:
    kept = await service.runtime.database.pool.fetchval(
        "select assessment from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )
    return [reason["code"] for reason in json.loads(kept)["reasons"]]


async def test_an_option_that_no_binder_covers_is_referred_with_the_clause(
    service: Service, subtests: pytest.Subtests
) -> None:
    for number, (changes, words) in enumerate(OUTSIDE[:-1]):
        with subtests.test(words):
            assert await import_file(service, binder_file(**changes)) == []

            quote = await one_quoted(service, named(number))

            assert quote["quote_status"] == "quote_referred"
            (entry,) = [row for row in await service.journal(quote["quote_identifier"]) if row.type]
            (reason,) = json.loads(entry.data)["reasons"]
            assert reason["code"] == "outside_binder"
            assert reason["text"].startswith(words)

    # The premium limit is looked at when it is taken.
    assert await import_file(service, binder_file(premium_limit=100)) == []
    assert (await one_quoted(service, named(9)))["quote_status"] == "published"


async def test_a_file_that_contradicts_what_is_on_file_changes_nothing(
    bound_by: Service, subtests: pytest.Subtests
) -> None:
    policy = await issued(bound_by)
    pool = bound_by.runtime.database.pool
    before = [dict(row) for table in ("binders", "binder_sections", "carriers", "binder_carriers")
              for row in await pool.fetch(f"select * from {table} order by 1, 2")]  # fmt: skip
    renamed = BINDER.replace('name = "Cyber"', 'name = "Cyber and more"')
    another = BINDER.replace("SAMPLE-2027", "SAMPLE-OTHER")
    professional = 'name = "Cyber"\nproduct = "MPL"'

    for content, problem in (
        (binder_file(premium_limit=policy["premium"] - 1).decode(), "premium_limit is below the $"),
        (renamed, "sections lacks section Cyber, on which 1 transactions were written"),
        (another, "sections[0].states overlaps section Cyber of binder SAMPLE-2027, 2027-03-01 to"),
        (
            BINDER.replace('name = "Cyber"\nproduct = "CYB"', professional).replace('["CA", "NY"]', '["NY"]'),
            "sections[0].product was CYB when policies were written on it",
        ),
    ):
        with subtests.test(problem):
            flaws = await import_file(bound_by, content.encode())
            assert problem in "\n".join(f"{flaw.field} {flaw.text}" for flaw in flaws), flaws
            assert all(flaw.line > 1 for flaw in flaws)

    assert before == [dict(row) for table in ("binders", "binder_sections", "carriers", "binder_carriers")
                      for row in await pool.fetch(f"select * from {table} order by 1, 2")]  # fmt: skip


async def test_the_same_file_again_is_the_same_binder(bound_by: Service) -> None:
    policy = await issued(bound_by)

    assert await import_file(bound_by, BINDER.encode()) == []

    async with bound_by.runtime.database.reading() as tx:
        (binder,) = await binders.list_binders(tx)
        assert len(await binders.sections(tx)) == 2
    assert (binder.premium_booked, binder.policies) == (policy["premium"], 1)
    assert binder.carriers == (
        "Example Specialty Insurance Company (NAIC 00001) 62.5 %, "
        "Placeholder Reinsurance Ltd. (NAIC 00002) 37.5 %"
    )


@pytest.mark.parametrize("count", [12, pytest.param(200, marks=pytest.mark.long)])
async def test_of_binds_at_once_for_the_last_dollars_exactly_those_that_fit_are_bound(
    dsn: str, tmp_path: Path, count: int
) -> None:
    async with without_deadlocks(dsn), serving(dsn, tmp_path, pool_size=10) as service:
        await set_day(service, DAY)

        came = await race(service, count)

        assert came.answers == {200: count}
        assert came.outcomes == {"policy_active": came.fits, "quote_bind_requested": count - came.fits}
        assert await used(service) == came.premium * came.fits
        await check_book(service)
