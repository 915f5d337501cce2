"""What the options of a company say side by side."""

import json
import re
from datetime import date
from typing import Any

import pytest
from tools.demo_book import EXAMPLES

from bindery.domain.applicant.industries import find_industry
from bindery.web.shown.comparison import reach_shown
from support.binding import DAY, ask_to_bind, decide, one_quoted, quoted, set_day, shown
from support.people import Person, text_of
from support.service import Service

pytestmark = pytest.mark.usefixtures("plain_printing")


def row_of(page: str, title: str) -> str:
    """Return the cells of a row, in one text."""
    found = re.search(rf'<th scope="row">{title}.*?</tr>', page, re.DOTALL)
    assert found, title
    return text_of(found[0])


def example(name: str, **dates: Any) -> Any:
    body = json.loads((EXAMPLES / f"{name}.json").read_text("utf-8"))
    body["policy"]["dates"] = dates
    body["policy"]["quotes"] = body["policy"]["quotes"][:1]
    return body


async def test_the_quoted_period_is_said_once(service: Service, broker: Person) -> None:
    await set_day(service, DAY)
    quote, *_ = await quoted(service)

    page = text_of(await broker.open(f"/company/{quote['company_id']}"))

    assert page.count("Mar 2, 2027 to Mar 2, 2028") == 1
    assert "The same for all:" in page
    assert "Retroactive date" not in page


async def test_how_far_the_cover_reaches_back_is_said(service: Service, broker: Person) -> None:
    await set_day(service, DAY)
    (quote,) = await quoted(service, example("mpl", effective="2027-03-02", expiration="2028-03-02"))

    page = text_of(await broker.open(f"/company/{quote['company_id']}"))

    assert "Retroactive date Mar 2, 2027" in page
    assert "The same for all" not in page


@pytest.mark.parametrize(
    ("reach", "said"),
    [
        (date(2024, 1, 1), "Jan 1, 2024"),
        ("2024-01-01", "Jan 1, 2024"),
        ("full_prior_acts", "full prior acts"),
    ],
)
def test_a_retroactive_date_is_written_as_dates_are(reach: date | str, said: str) -> None:
    assert reach_shown(reach) == said


async def test_a_requested_bind_says_what_the_broker_owes_before_it(service: Service, broker: Person) -> None:
    await set_day(service, DAY)
    quote = await one_quoted(service)
    await decide(
        service,
        quote,
        "add_contingency",
        contingency={"type": "pre_bind", "text": "A list of subsidiaries"},
    )
    assert (await ask_to_bind(service, quote)).status_code == 200
    assert (await shown(service, quote["quote_identifier"]))["quote_status"] == "quote_bind_requested"

    page = text_of(await broker.open(f"/company/{quote['company_id']}"))

    said = "A list of subsidiaries, before the bind; an underwriter's answer, expected by"
    assert f"What is needed {said}" in page


async def test_an_option_is_selected_by_its_address(service: Service, broker: Person) -> None:
    first, second, *_ = await quoted(service)
    company = f"/company/{first['company_id']}"

    by_number = await broker.open(f"{company}?option=2")
    by_quote = await broker.open(f"/quote/{second['quote_identifier']}")
    unknown = await broker.open(f"{company}?option=99")

    for page in (by_number, by_quote):
        assert "Next step \u00b7 option 2" in text_of(page)
        assert f"${second['total']:,.2f} a year, taxes in" in text_of(page)
        by = second["total"] - first["total"]
        assert f"\u2212${by:,.2f} against option 2" in row_of(page, "Total")
        assert f"/quote/{second['quote_identifier']}/document/quote_letter" in page
        assert f"/quote/{first['quote_identifier']}/document/quote_letter" not in page
    assert "Next step \u00b7 option 1" in text_of(unknown)
    assert f'data-page="{company}?option=2"' in by_number


async def test_a_case_names_the_industry(service: Service, underwriter: Person) -> None:
    quote = await one_quoted(service)
    code = quote["client"]["industry"]
    submission_id = await service.runtime.database.pool.fetchval("select submission_id from quotes limit 1")

    page = text_of(await underwriter.open(f"/desk/case/{submission_id}"))

    assert f"Industry {code} {find_industry(code).title}" in page
