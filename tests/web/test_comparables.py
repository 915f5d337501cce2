"""Comparable cases: decided ones, near in revenue or said to be wider, with rates and where a case lies."""

import uuid
from typing import Any

from bindery.storage.submission import earlier, submissions
from bindery.storage.submission.earlier import Likeness
from support.binding import decide, one_quoted
from support.people import Person, text_of
from support.service import Service


async def quoted(service: Service, name: str, revenue: int, **more: Any) -> dict[str, Any]:
    def change(body: dict[str, Any]) -> None:
        body["client"].update(
            name=name, revenue=revenue, domains=[f"{name.lower().replace(' ', '-')}.example.com"]
        )
        body["client"].update({key: value for key, value in more.items() if key != "limit"})
        body["policy"]["quotes"] = [{"aggregate_limit": more.get("limit", 1_000_000)}]

    return await one_quoted(service, change)


async def case_of(service: Service, quote: dict[str, Any]) -> uuid.UUID:
    found = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )
    assert isinstance(found, uuid.UUID)
    return found


async def like(service: Service, quote: dict[str, Any], sector: str) -> list[tuple[str, Likeness]]:
    async with service.runtime.database.reading() as tx:
        stored = await submissions.get(tx, await case_of(service, quote))
        found = await earlier.similar(tx, stored, sector=sector, limit=12)
    return [(case.name, case.likeness) for case in found]


async def sector(service: Service, quote: dict[str, Any]) -> str:
    return str(
        await service.runtime.database.pool.fetchval(
            "select sector from submissions where submission_id = $1", await case_of(service, quote)
        )
    )


async def test_only_decided_cases_from_half_to_double_the_revenue_are_compared(service: Service) -> None:
    case = await quoted(service, "This One", 1_200_000)
    for name, revenue in (("Half", 600_000), ("Double", 2_400_000), ("Equal", 1_200_000)):
        await quoted(service, name, revenue)
    await quoted(service, "Below Half", 599_999)
    await quoted(service, "Above Double", 2_400_001)
    # Waits for an underwriter: nobody has decided it.
    await quoted(service, "Undecided", 1_300_000, limit=5_000_000)
    declined = await quoted(service, "Declined", 1_400_000, limit=5_000_000)
    await decide(service, declined, "decline", reason="Not for us.")
    of = await sector(service, case)

    assert await like(service, case, of) == [
        ("Equal", Likeness.NEAR),
        ("Declined", Likeness.NEAR),
        ("Half", Likeness.NEAR),
        ("Double", Likeness.NEAR),
    ]


async def test_with_too_few_other_sizes_follow_and_then_other_sectors(service: Service) -> None:
    case = await quoted(service, "This One", 1_200_000)
    of = await sector(service, case)
    assert await like(service, case, of) == []
    await quoted(service, "Bank Street Law", 1_200_000, industry="541110")
    assert await like(service, case, of) == [("Bank Street Law", Likeness.PRODUCT)]

    await quoted(service, "Much Larger", 2_500_000)
    await quoted(service, "Equal", 1_200_000)
    assert await like(service, case, of) == [
        ("Equal", Likeness.NEAR),
        ("Much Larger", Likeness.SECTOR),
        ("Bank Street Law", Likeness.PRODUCT),
    ]
    for name in ("Second", "Third"):
        await quoted(service, name, 1_200_000)
    assert {likeness for _, likeness in await like(service, case, of)} == {Likeness.NEAR}


async def test_the_page_says_what_they_cost_by_limit_and_revenue_and_where_the_case_lies(
    service: Service, underwriter: Person
) -> None:
    cheap = await quoted(service, "Cheap", 700_000)
    dear = await quoted(service, "Dear", 2_300_000)
    await quoted(service, "Third", 2_200_000)
    case = await quoted(service, "This One", 1_200_000)

    said = text_of(await underwriter.open(f"/desk/case/{await case_of(service, case)}"))

    assert "decided, same product and sector, half to double the revenue" in said
    premium = case["premium"]
    assert cheap["premium"] < premium < dear["premium"]
    by_revenue = round(premium / 1.2)
    assert f"This case ${premium:,} per $1M of limit: above 1 of 3." in said
    assert f"${by_revenue:,} per $1M of revenue: above 2 of 3." in said
    by_limit, of_cheap = f"${cheap['premium']:,}", f"${round(cheap['premium'] / 0.7):,}"
    assert f"{by_limit} {by_limit} {of_cheap} Open the tariff" in said
