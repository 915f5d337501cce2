"""The worksheet that is shown: its figures multiply to the premium, and nothing that is paid is left out."""

import random
import re
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any

import pytest

from bindery.contract.vocabulary import InsuranceProduct
from bindery.web.case.prices import shown_charges
from bindery.web.shown.worksheet import MINUS, TIMES, ShownPart, ShownWorksheet, shown_worksheet
from domain.rating.ladders import random_risk, random_terms
from domain.rating.rating_cases import CYB, MPL, TEO, price, risk_of
from support.applicants import SUBMISSION, assessed
from support.intake import technology
from support.people import Person, fields_of
from support.service import Service, request_body

MINIMUM = re.compile(r"Minimum premium \$([\d,]+)\.")


def number(text: str) -> Decimal:
    """Read what a person would type into a calculator."""
    return Decimal(text.replace("$", "").replace(",", "").removeprefix(TIMES).strip())


def product_of(part: ShownPart) -> Decimal:
    """Multiply the factors of a part as they are shown, checking each amount on the way."""
    with localcontext() as wide:
        wide.prec = 400
        running = Decimal(1)
        for step in part.steps:
            running *= number(step.factor)
            assert number(step.amount) == running.quantize(Decimal(1), ROUND_HALF_UP), step
        assert number(part.amount) == running.quantize(Decimal("0.01"), ROUND_HALF_UP)
        return running


def check(shown: ShownWorksheet) -> None:
    with localcontext() as wide:
        wide.prec = 400
        total = sum((product_of(part) for part in shown.parts), start=Decimal(0))
        minimum = MINIMUM.search(shown.sentence)
        assert minimum is not None
        least = number(minimum.group(1))
        assert number(shown.premium) == max(total, least).quantize(Decimal(1), ROUND_HALF_UP)
        assert ("The minimum premium applies." in shown.sentence) == (total < least)
        if len(shown.parts) > 1:
            assert number(shown.amount) == total.quantize(Decimal("0.01"), ROUND_HALF_UP)


@pytest.mark.parametrize("product", [CYB, TEO, MPL])
def test_the_figures_that_are_shown_multiply_to_the_premium_that_is_shown(product: InsuranceProduct) -> None:
    rng = random.Random(20262)
    risks = [risk for risk in (random_risk(rng) for _ in range(1_000)) if risk.product is product]

    assert len(risks) > 200
    for risk in risks:
        worksheet = price(risk, random_terms(risk, rng), hazard_group=rng.randint(1, 6))
        check(shown_worksheet(worksheet, premium=worksheet.premium))


@pytest.mark.parametrize(("product", "parts"), [(CYB, 1), (TEO, 2), (MPL, 1)])
def test_the_parts_are_added_up_where_there_are_several(product: InsuranceProduct, parts: int) -> None:
    worksheet = price(risk_of(product, revenue=20_000_000))

    shown = shown_worksheet(worksheet, premium=worksheet.premium)

    assert len(shown.parts) == parts
    assert bool(shown.amount) == (parts > 1)


def test_taxes_and_fees_are_named_and_added_up_and_follow_the_premium() -> None:
    quote = assessed(SUBMISSION)

    shown = shown_charges(quote)

    assert shown is not None
    assert [title for title, _ in shown.lines] == ["Surplus lines tax, 3 %", "Stamping fee, 0.18 %"]
    assert number(shown.total) == number(shown.premium) + sum(number(amount) for _, amount in shown.lines)
    assert shown_charges(replace(quote, premium=None)) is None
    assert shown_charges(assessed(SUBMISSION, breaks_pricing=True)) is None


def rows_of(page: str, caption: str) -> dict[str, str]:
    """Return the rows of a table of two columns by their heads."""
    table = re.search(rf"<caption>{caption}</caption>(.*?)</table>", page, re.DOTALL)
    assert table is not None, f"there is no table {caption}"
    found = re.findall(
        r'<th scope="row">(.*?)</th>(?:<td[^>]*></td>)*<td class="money(?: big)?">(.*?)</td></tr>',
        table.group(1),
    )
    return dict(found)


async def case_of(service: Service, body: dict[str, Any]) -> str:
    """Submit something that goes to the desk, and return the address of its case."""
    body["client"]["domains"] = ["red-flags.example.com"]
    body["policy"]["quotes"] = [{"aggregate_limit": 1_000_000}]
    await service.quote(body)
    submission_id = await service.runtime.database.pool.fetchval("select submission_id from submissions")
    return f"/desk/case/{submission_id}"


async def test_the_case_page_shows_taxes_and_total_and_the_preview_follows_the_terms(
    working_service: Service, underwriter: Person
) -> None:
    path = await case_of(working_service, request_body())
    page = await underwriter.open(path)
    before = rows_of(page, "Taxes, fees and total")

    form = {**fields_of(page, f"{path}/decide"), "premium": "10,000"}
    headers = {"Origin": underwriter.origin, "X-Part": "worksheet"}
    preview = await underwriter.http.post(f"{path}/preview?option=1", data=form, headers=headers)
    after = rows_of(preview.text, "Taxes, fees and total")

    assert list(before) == list(after)
    assert next(iter(before)) == "Premium"
    assert list(before)[-1] == "Total"
    assert len(before) > 2, "the state has taxes"
    assert after["Premium"] == "$10,000.00"
    *charged, total = (number(amount) for amount in after.values())
    assert sum(charged) == total > 10_000
    assert total != number(before["Total"])


async def test_the_case_page_shows_what_each_part_of_a_worksheet_comes_to(
    working_service: Service, underwriter: Person
) -> None:
    page = await underwriter.open(await case_of(working_service, technology()))

    sums = {
        title: amount
        for caption in re.findall(r"<caption>(.*?)</caption>", page)
        for title, amount in rows_of(page, re.escape(caption)).items()
        if title.endswith(", sum")
    }
    assert list(sums) == ["Cyber, sum", "Technology E&amp;O, sum"]
    total = sum(number(amount) for amount in sums.values())
    together = re.search(r"Together (\S+)\.</p>", page)
    assert together is not None
    assert abs(number(together.group(1)) - total) <= Decimal("0.01")
    figure = re.search(r'<span class="figure">(.*?)</span>', page)
    assert figure is not None
    assert number(figure.group(1)) == number(together.group(1)).quantize(Decimal(1), ROUND_HALF_UP)


async def test_what_a_factor_is_made_of_is_shown_on_a_phone_too(
    working_service: Service, underwriter: Person
) -> None:
    page = await underwriter.open(await case_of(working_service, technology()))

    folded = re.findall(r'<details class="more"><summary>\d+ parts?</summary>', page)
    assert folded
    assert not re.search(r'<td class="wide">(?:(?!</td>).)*<details', page)


@pytest.mark.parametrize("product", [CYB, TEO, MPL])
def test_the_figures_of_the_bars_add_up_to_the_premium(product: InsuranceProduct) -> None:
    rng = random.Random(20263)
    risks = [risk for risk in (random_risk(rng) for _ in range(600)) if risk.product is product]

    assert len(risks) > 100
    for risk in risks:
        worksheet = price(risk, random_terms(risk, rng))
        charged = worksheet.premium + rng.choice((0, 0, 250, -300))
        shown = shown_worksheet(worksheet, premium=charged)
        figures = (fall.figure for fall in shown.waterfall.falls)
        *steps, premium = (number(figure.replace(MINUS, "-").replace("+", "")) for figure in figures)
        # Where the minimum applies or an underwriter set it, that is a bar as well.
        assert sum(steps) == premium == charged


def test_a_premium_below_the_tariff_is_said_with_a_minus_sign() -> None:
    worksheet = price(risk_of(CYB))

    shown = shown_worksheet(worksheet, premium=worksheet.premium // 2)

    assert f"{MINUS}50." in shown.sentence
    assert "-50." not in shown.sentence
