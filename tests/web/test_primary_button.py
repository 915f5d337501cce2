"""Of the options on a company page one at most has the button that stands out."""

import json
import re

from tools.demo_book import EXAMPLES

from support.binding import bind
from support.people import Person
from support.service import Service, request_body

BUTTON = re.compile(r'<a class="button(?:[^"]*?)( main)?" href="/quote/([^/]+)/bind">')


async def buttons(broker: Person, company_id: str) -> tuple[list[str], list[str]]:
    """Return the options that can be bound on a company page, and those whose button stands out.

    The button of the selected option is at the side; the others' are in the table, one each.
    """
    found = BUTTON.findall(await broker.open(f"/company/{company_id}"))
    return [quote_id for _, quote_id in found], [quote_id for mark, quote_id in found if mark]


async def test_of_several_options_the_first_that_can_be_bound_stands_out(
    working_service: Service, broker: Person
) -> None:
    quote = await working_service.quote(request_body())

    bindable, primary = await buttons(broker, quote["company_id"])

    assert len(bindable) == len(set(bindable)) > 1
    assert primary == [quote["quote_identifier"]]


async def test_an_option_that_cannot_be_bound_leaves_the_button_to_the_next(
    working_service: Service, broker: Person
) -> None:
    quote = await working_service.quote(request_body())
    before, _ = await buttons(broker, quote["company_id"])
    answer = await working_service.post(f"/v2/quotes/{quote['quote_identifier']}/withdraw", {})
    assert answer.status_code < 300, answer.text

    bindable, primary = await buttons(broker, quote["company_id"])

    assert set(bindable) == set(before) - {quote["quote_identifier"]}
    assert len(primary) == 1


async def test_of_two_products_the_newest_submission_has_the_button(
    working_service: Service, broker: Person
) -> None:
    first = await working_service.quote(request_body())
    other = json.loads((EXAMPLES / "mpl.json").read_text("utf-8"))
    other["client"] = {**request_body()["client"], "company_id": first["company_id"]}
    second = await working_service.quote(other)
    assert second["company_id"] == first["company_id"]

    bindable, primary = await buttons(broker, first["company_id"])

    assert {first["quote_identifier"], second["quote_identifier"]} <= set(bindable)
    assert primary == [second["quote_identifier"]]


async def test_a_company_whose_options_are_settled_has_no_such_button(
    working_service: Service, broker: Person
) -> None:
    quote = await working_service.quote(request_body())
    await bind(working_service, quote)

    assert await buttons(broker, quote["company_id"]) == ([], [])
