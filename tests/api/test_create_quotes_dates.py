"""The specification's table PolicyDates: terms of 6 to 18 months, and how far back cover reaches."""

import json
from datetime import date, timedelta
from typing import Any

import pytest

from support.intake import changed, check_is_accepted, problems, professional, technology
from support.service import Service

pytestmark = pytest.mark.asyncio(loop_scope="module")

EFFECTIVE = "policy.dates.effective"
EXPIRATION = "policy.dates.expiration"

SHORTEST = [
    ("2026-07-01", "2027-01-01"),
    ("2026-08-31", "2027-02-28"),
    ("2027-08-31", "2028-02-29"),
    ("2027-08-29", "2028-02-29"),
    ("2028-02-29", "2028-08-29"),
    ("2026-10-31", "2027-04-30"),
    ("2026-12-31", "2027-06-30"),
]
LONGEST = [
    ("2026-07-01", "2028-01-01"),
    ("2026-08-31", "2028-02-29"),
    ("2027-08-31", "2029-02-28"),
    ("2028-02-29", "2029-08-29"),
    ("2026-10-31", "2028-04-30"),
    ("2026-12-31", "2028-06-30"),
]
DEFAULT = [
    ("2026-07-01", "2027-07-01"),
    ("2027-02-28", "2028-02-28"),
    ("2028-02-29", "2029-02-28"),
    ("2026-12-31", "2027-12-31"),
    ("2026-01-01", "2027-01-01"),
]


def day_after(text: str, days: int = 1) -> str:
    return (date.fromisoformat(text) + timedelta(days=days)).isoformat()


async def stored_term(service: Service, receipt: dict[str, Any]) -> dict[str, Any]:
    facts: str = await service.runtime.database.pool.fetchval(
        "select facts from submissions join quotes using (submission_id) where quote_id = $1",
        receipt["quotes"][0]["quote_identifier"],
    )
    term: dict[str, Any] = json.loads(facts)["term"]
    return term


async def test_a_term_of_six_and_one_of_eighteen_months_are_accepted(
    shared: Service, subtests: pytest.Subtests
) -> None:
    for effective, expiration in [*SHORTEST, *LONGEST]:
        with subtests.test(f"{effective} {expiration}"):
            receipt = await check_is_accepted(
                shared, changed((EFFECTIVE, effective), (EXPIRATION, expiration))
            )

            term = await stored_term(shared, receipt)
            assert (term["effective"], term["expiration"]) == (effective, expiration)


@pytest.mark.parametrize(("effective", "expiration"), SHORTEST)
async def test_a_day_less_than_six_months_is_refused(
    shared: Service, effective: str, expiration: str
) -> None:
    found = await problems(shared, changed((EFFECTIVE, effective), (EXPIRATION, day_after(expiration, -1))))

    assert found == {(EXPIRATION, "term_too_short")}


@pytest.mark.parametrize(("effective", "expiration"), LONGEST)
async def test_a_day_more_than_eighteen_months_is_refused(
    shared: Service, effective: str, expiration: str
) -> None:
    found = await problems(shared, changed((EFFECTIVE, effective), (EXPIRATION, day_after(expiration))))

    assert found == {(EXPIRATION, "term_too_long")}


@pytest.mark.parametrize("expiration", ["2026-07-01", "2026-06-30", "2020-01-01"])
async def test_a_term_that_ends_before_it_starts_is_refused(shared: Service, expiration: str) -> None:
    found = await problems(shared, changed((EFFECTIVE, "2026-07-01"), (EXPIRATION, expiration)))

    assert found == {(EXPIRATION, "term_too_short")}


@pytest.mark.parametrize(("effective", "expiration"), DEFAULT)
async def test_a_term_runs_twelve_months_where_no_expiration_is_given(
    shared: Service, effective: str, expiration: str
) -> None:
    receipt = await check_is_accepted(shared, changed((EFFECTIVE, effective)))

    assert (await stored_term(shared, receipt))["expiration"] == expiration


async def test_cover_starts_tomorrow_where_no_dates_are_given(shared: Service) -> None:
    runtime = shared.runtime
    today = await runtime.database.today()

    receipt = await check_is_accepted(shared, changed())

    assert (await stored_term(shared, receipt))["effective"] == day_after(today.isoformat())


async def test_a_text_that_is_no_calendar_date_is_refused(shared: Service, subtests: pytest.Subtests) -> None:
    for name in ["effective", "expiration", "teo_retroactive_date"]:
        for text in [
            "2026-02-29",
            "2026-13-01",
            "2026-00-10",
            "0000-01-01",
            "2026-7-1",
            "20260701",
            "2026-07-01T00:00:00",
            "2026-07-01Z",
            " 2026-07-01",
            "07/01/2026",
            "tomorrow",
            "",
        ]:
            with subtests.test(f"{name} {text!r}"):
                found = await problems(
                    shared, changed((EFFECTIVE, "2026-07-01"), (f"policy.dates.{name}", text))
                )

                assert found == {(f"policy.dates.{name}", "wrong_format")}


@pytest.mark.parametrize("value", [20260701, True, ["2026-07-01"]])
@pytest.mark.parametrize("name", ["effective", "expiration", "teo_retroactive_date", "mpl_retroactive_date"])
async def test_a_date_that_is_no_text_is_refused(shared: Service, name: str, value: Any) -> None:
    found = await problems(shared, changed((EFFECTIVE, "2026-07-01"), (f"policy.dates.{name}", value)))

    assert found == {(f"policy.dates.{name}", "wrong_type")}


async def test_a_date_of_null_is_one_that_is_not_given(shared: Service) -> None:
    nulls = dict.fromkeys(("expiration", "teo_retroactive_date", "mpl_retroactive_date"))

    await check_is_accepted(shared, changed(("policy.dates", {"effective": "2026-07-01", **nulls})))
    assert await problems(shared, changed((EFFECTIVE, None))) == {(EFFECTIVE, "wrong_type")}


async def test_dates_without_effective_are_refused(shared: Service) -> None:
    assert await problems(shared, changed(("policy.dates", {}))) == {(EFFECTIVE, "required")}
    assert await problems(shared, changed((EXPIRATION, "2027-01-01"))) == {(EFFECTIVE, "required")}


@pytest.mark.parametrize("effective", ["9998-07-01", "9999-12-31"])
async def test_a_term_past_the_end_of_the_calendar_is_refused(shared: Service, effective: str) -> None:
    assert await problems(shared, changed((EFFECTIVE, effective))) == {(EFFECTIVE, "out_of_range")}


@pytest.mark.parametrize("text", ["full_prior_acts", "FULL_PRIOR_ACTS", "Full_Prior_Acts", "fULL_pRIOR_aCTS"])
async def test_full_prior_acts_is_read_in_any_case(shared: Service, text: str) -> None:
    body = professional((EFFECTIVE, "2026-07-01"), ("policy.dates.mpl_retroactive_date", text))

    receipt = await check_is_accepted(shared, body)

    assert (await stored_term(shared, receipt))["retroactive"] == "full_prior_acts"


@pytest.mark.parametrize("text", ["2026-07-01", "2026-06-30", "1990-02-28"])
async def test_an_mpl_retroactive_date_up_to_effective_is_accepted(shared: Service, text: str) -> None:
    body = professional((EFFECTIVE, "2026-07-01"), ("policy.dates.mpl_retroactive_date", text))

    receipt = await check_is_accepted(shared, body)

    assert (await stored_term(shared, receipt))["retroactive"] == text


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("2026-07-02", "after_effective"),
        ("full prior acts", "not_a_date"),
        ("full_prior_acts ", "not_a_date"),
        ("prior_acts", "not_a_date"),
        ("2026-02-30", "not_a_date"),
        ("", "not_a_date"),
    ],
)
async def test_any_other_mpl_retroactive_date_is_refused(shared: Service, text: str, code: str) -> None:
    body = professional((EFFECTIVE, "2026-07-01"), ("policy.dates.mpl_retroactive_date", text))

    assert await problems(shared, body) == {("policy.dates.mpl_retroactive_date", code)}


@pytest.mark.parametrize(("text", "kept"), [("2026-07-01", "2026-07-01"), ("2026-06-30", "2026-06-30")])
async def test_a_teo_retroactive_date_up_to_effective_is_accepted(
    shared: Service, text: str, kept: str
) -> None:
    body = technology((EFFECTIVE, "2026-07-01"), ("policy.dates.teo_retroactive_date", text))

    receipt = await check_is_accepted(shared, body)

    assert (await stored_term(shared, receipt))["retroactive"] == kept


async def test_a_teo_retroactive_date_after_effective_is_refused(shared: Service) -> None:
    body = technology((EFFECTIVE, "2026-07-01"), ("policy.dates.teo_retroactive_date", "2026-07-02"))

    assert await problems(shared, body) == {("policy.dates.teo_retroactive_date", "after_effective")}


async def test_the_retroactive_date_of_another_product_has_no_effect(shared: Service) -> None:
    body = changed(
        (EFFECTIVE, "2026-07-01"),
        ("policy.dates.teo_retroactive_date", "2020-01-01"),
        ("policy.dates.mpl_retroactive_date", "full_prior_acts"),
    )

    receipt = await check_is_accepted(shared, body)

    term = await stored_term(shared, receipt)
    assert term["retroactive"] is None
