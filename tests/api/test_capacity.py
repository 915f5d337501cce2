"""What a product says of the states and limits that can be written automatically today."""

from datetime import date
from pathlib import Path
from typing import Any

from bindery.domain.policy.binders import SectionWithRoom, capacity_of
from support.binding import set_day
from support.book import binder_file, import_file, issued
from support.service import Service, serving
from support.statements import statements_of


async def product(service: Service, name: str = "CYB") -> dict[str, Any]:
    answer = await service.get(f"/v2/products/{name}")
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def test_capacity_follows_the_binders_and_what_is_left_of_them(
    service: Service,
) -> None:
    await set_day(service, date(2027, 3, 1))
    nobody_asked = await product(service)
    await import_file(service, binder_file())
    cyber, professional = await product(service), await product(service, "MPL")
    tech = await product(service, "TEO")
    await import_file(service, binder_file(limit=1_200_000))
    smaller = await product(service)
    premium = (await issued(service))["premium"]
    await import_file(service, binder_file(premium_limit=premium + 1))
    nearly = await product(service)
    await import_file(service, binder_file(premium_limit=premium))
    spent = await product(service)
    await import_file(service, binder_file())
    await set_day(service, date(2028, 2, 29))
    last_day = await product(service)
    await set_day(service, date(2028, 3, 1))
    over = await product(service)

    (everywhere,) = nobody_asked["capacity"]
    assert everywhere["aggregate_limit"] == nobody_asked["authority"]["aggregate_limit"] == 3_000_000
    assert len(everywhere["states"]) == 51
    (row,) = cyber["capacity"]
    assert row["aggregate_limit"] == 3_000_000
    assert row["states"] == [state for state in everywhere["states"] if state not in {"NY", "TX"}]
    assert professional["capacity"] == [{"aggregate_limit": 2_000_000, "states": ["CA", "NY"]}]
    assert tech["capacity"] == spent["capacity"] == over["capacity"] == []
    assert smaller["capacity"] == [{**row, "aggregate_limit": 1_000_000}]
    assert nearly["capacity"] == last_day["capacity"] == cyber["capacity"]
    assert str(premium) not in str({**nearly, "coverages": [], "retention_bands": []})


async def test_a_product_takes_one_statement_of_its_own(dsn: str, tmp_path: Path) -> None:
    async with serving(dsn, tmp_path, pool_size=1) as service:
        await product(service)
        async with statements_of(service) as sent:
            await product(service)

    own = [statement for statement in sent if "service_clock" not in statement]
    assert len([statement for statement in own if "binder_sections" in statement]) == 1
    assert len(own) <= 2, own


def test_each_limit_has_its_states_and_a_limit_below_all_that_is_offered_has_none() -> None:
    sections = [
        SectionWithRoom(max_limit=750_000, states=frozenset({"PA", "CA"})),
        SectionWithRoom(max_limit=9_000_000, states=frozenset({"NY"})),
        SectionWithRoom(max_limit=100, states=frozenset({"TX"})),
        SectionWithRoom(max_limit=500_000, states=frozenset({"OR"})),
    ]

    found = capacity_of(sections, (500_000, 1_000_000, 2_000_000, 5_000_000), authority=2_000_000)

    assert found == [(2_000_000, ["NY"]), (500_000, ["CA", "OR", "PA"])]
