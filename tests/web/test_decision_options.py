"""A decision about a case offers the options that it can apply to, and says which they are."""

import html
import re
import uuid
from typing import Any

import pytest

from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.quote.quote import are_decided_together
from support.binding import bind, decide, issue, move_days, quoted, status_of, upload_signed
from support.intake import professional
from support.people import Person, fields_of, text_of
from support.service import Service, request_body


async def case_of(
    service: Service, *, name: str = "Harborlight", domain: str = "clean"
) -> tuple[str, list[dict[str, Any]]]:
    """Quote two options, and return the page of their case and the options."""
    body = request_body(lambda body: body["client"].update(name=name, domains=[f"{domain}.example.com"]))
    body["policy"]["quotes"] = [{"aggregate_limit": 1_000_000}, {"aggregate_limit": 2_000_000}]
    quotes = await quoted(service, body)
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quotes[0]["quote_identifier"])
    )
    return f"/desk/case/{submission_id}", quotes


def offered_in(page: str) -> list[str]:
    return re.findall(r'<input type="checkbox" name="options" value="([^"]+)"', page)


def button_to_sure(page: str) -> str:
    (address,) = re.findall(r'<button class="[^"]*danger" formaction="(/sure[^"]+)"', page)
    return html.unescape(address)


def test_what_is_decided_together_follows_from_where_the_moves_lead() -> None:
    together = {
        (first, second)
        for first in QuoteStatus
        for second in QuoteStatus
        if are_decided_together(first, second)
    }

    decided = ("quote_referred", "quote_bind_requested", "policy_active", "policy_canceled")
    assert together == {(QuoteStatus(status), QuoteStatus(status)) for status in decided}


async def test_the_retentions_to_choose_from_are_those_that_price_the_product(
    service: Service, underwriter: Person, subtests: pytest.Subtests
) -> None:
    bodies = {
        ("aggregate_retention", "25000"): request_body(),
        ("per_claim_retention", "2500"): professional(),
    }
    for (field, typed), body in bodies.items():
        with subtests.test(field):
            limits = (1_000_000, 2_000_000)
            body["policy"]["quotes"] = [{"aggregate_limit": limit} for limit in limits]
            first, second = await quoted(service, body)
            submission_id = await service.runtime.database.pool.fetchval(
                "select submission_id from quotes where quote_id = $1", uuid.UUID(first["quote_identifier"])
            )
            path = f"/desk/case/{submission_id}"
            opened = await underwriter.open(path)
            own = f"{field}-{second['quote_identifier']}"
            typed_now = {**fields_of(opened, f"{path}/decide"), field: typed, own: typed}
            page = await underwriter.send(f"{path}/preview", **typed_now)

            untouched = {f"{field}-{first['quote_identifier']}": "", own: "", field: ""}
            assert retentions_chosen(opened) == untouched
            assert retentions_chosen(page) == {**untouched, own: typed, field: typed}


def retentions_chosen(page: str) -> dict[str, str]:
    """Return the retention fields of the decision, each with what is chosen in it."""
    form = page.partition('id="decide"')[2].partition("</form>")[0]
    fields = re.findall(r'<select[^>]* name="(\w+_retention[^"]*)"[^>]*>(.*?)</select>', form, re.DOTALL)
    return {name: "".join(re.findall(r'value="(\d+)" selected', offered)) for name, offered in fields}


async def test_the_options_to_tick_are_those_that_the_decision_can_apply_to(
    service: Service, underwriter: Person, subtests: pytest.Subtests
) -> None:
    for standing in ["referred", "requested", "bound", "canceled"]:
        with subtests.test(standing):
            name = "Careful (prebind)" if standing == "requested" else "Harborlight"
            path, quotes = await case_of(
                service, name=name, domain="red-flags" if standing == "referred" else "clean"
            )
            if standing == "requested":
                await bind(service, quotes[1])
            elif standing != "referred":
                await issue(service, quotes[1])
            if standing == "canceled":
                await decide(service, quotes[1], "cancel", text="Asked for")

            offered = offered_in(await underwriter.open(f"{path}?option=2"))

            both = [quote["quote_identifier"] for quote in quotes]
            assert offered == (both if standing == "referred" else both[1:])


async def test_what_is_owed_for_an_option_that_was_not_chosen_cannot_be_closed(
    service: Service, underwriter: Person
) -> None:
    path, quotes = await case_of(service)
    await bind(service, quotes[1])

    page = await underwriter.open(f"{path}?option=2")

    closable = re.findall(r'/contingency\?[^"]*quote_id=([0-9a-f-]+)', page)
    assert set(closable) == {quotes[1]["quote_identifier"]}
    papers = text_of(page).partition("Contingencies and papers")[2]
    assert "Open," not in papers.partition("Option 1")[2].partition("Option 2")[0]


async def test_the_question_names_the_options_and_asks_for_the_reason_that_it_promises(
    service: Service, underwriter: Person
) -> None:
    path, quotes = await case_of(service, domain="red-flags")
    both = [quote["quote_identifier"] for quote in quotes]
    page = await underwriter.open(path)
    form = {**fields_of(page, f"{path}/decide"), "options": both, "decision": "decline"}

    unexplained = await underwriter.send(button_to_sure(page), **form)
    explained = await underwriter.send(button_to_sure(page), **{**form, "reason": "Open to the internet"})
    none_ticked = await underwriter.send(button_to_sure(page), **{**form, "options": []})

    assert "This is about options 1 and 2." in text_of(unexplained)
    assert re.search(r'<textarea [^>]*name="reason"[^>]* required', unexplained)
    assert "<textarea" not in explained
    assert "No option is ticked: go back and tick at least one." in text_of(none_ticked)
    sent = {**fields_of(unexplained, f"{path}/decide"), "options": both, "decision": "decline"}
    await underwriter.send(f"{path}/decide", **{**sent, "reason": "Open to the internet"})
    assert [await status_of(service, identifier) for identifier in both] == ["quote_declined"] * 2


async def test_a_cancellation_names_its_option_too(service: Service, underwriter: Person) -> None:
    path, quotes = await case_of(service)
    await issue(service, quotes[1])
    page = await underwriter.open(f"{path}?option=2")

    asked = await underwriter.send(button_to_sure(page), **fields_of(page, f"{path}/decide"))

    assert "This is about option 2." in text_of(asked)
    # Its reason is from a list; what is said beside it need not be.
    assert "Canceled by: the insured. Reason: At the insured's request." in text_of(asked)
    assert "<textarea" not in asked


async def test_a_case_opens_on_the_policy_where_nothing_waits(service: Service, underwriter: Person) -> None:
    path, quotes = await case_of(service)
    await issue(service, quotes[1])

    in_force = text_of(await underwriter.open(path))
    await decide(service, quotes[1], "cancel", text="Asked for")
    canceled = text_of(await underwriter.open(path))
    first = text_of(await underwriter.open(f"{path}?option=1"))

    assert "Cancel the policy" in in_force
    assert "Reinstate the policy" in canceled
    assert "Nothing about option 1 is waiting for a decision." in first


async def test_a_case_opens_on_the_option_that_a_file_came_in_for(
    service: Service, underwriter: Person
) -> None:
    path, quotes = await case_of(service)
    before = text_of(await underwriter.open(path))
    await upload_signed(service, quotes[1])

    page = text_of(await underwriter.open(path))

    assert "Rating worksheet, option 1" in before
    assert "Rating worksheet, option 2" in page


async def test_what_was_decided_names_the_company(service: Service, underwriter: Person) -> None:
    path, _ = await case_of(service, name="Merrow & Sons", domain="red-flags")
    form = fields_of(await underwriter.open(path), f"{path}/decide")

    page = await underwriter.send(
        f"{path}/decide", **{**form, "decision": "decline", "reason": "Open to the internet"}
    )

    assert "Merrow & Sons: Option 1 is declined." in text_of(page)


async def test_why_some_options_went_to_an_underwriter_names_them(
    service: Service, underwriter: Person, broker: Person
) -> None:
    body = request_body()
    body["policy"]["quotes"] = [{"aggregate_limit": 1_000_000}, {"aggregate_limit": 4_000_000}]
    quotes = await quoted(service, body)
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quotes[0]["quote_identifier"])
    )

    company = text_of(await broker.open(f"/company/{quotes[0]['company_id']}"))
    case = text_of(await underwriter.open(f"/desk/case/{submission_id}"))

    (reason,) = quotes[1]["referral_reasons"]
    assert f"Why it went to an underwriter {reason['text']} (option 2)" in company
    assert f"{reason['text']} limit_above_authority, option 2 " in case


async def test_what_all_options_were_referred_for_names_none(service: Service, broker: Person) -> None:
    _, quotes = await case_of(service, domain="red-flags")

    company = text_of(await broker.open(f"/company/{quotes[0]['company_id']}"))

    why = company.partition("Why it went to an underwriter")[2]
    assert why.startswith(f" {quotes[0]['referral_reasons'][0]['text']}")
    assert "(option" not in why.partition("History")[0]


async def test_what_could_not_be_priced_says_so_once_it_can_be(service: Service, underwriter: Person) -> None:
    path, quotes = await case_of(service, domain="calc-error")
    priced = text_of(await underwriter.open(path))
    await service.runtime.database.pool.execute(
        "update quotes set aggregate_limit = 777000, aggregate_retention = 10000 where quote_id = $1",
        uuid.UUID(quotes[0]["quote_identifier"]),
    )
    unpriced = text_of(await underwriter.open(path))

    assert "The option could not be priced. The tariff has a price now pricing_failed" in priced
    assert "The option could not be priced pricing_failed" in unpriced


async def test_a_single_late_case_is_looked_at_as_one(service: Service, underwriter: Person) -> None:
    await case_of(service, domain="red-flags")
    await move_days(service, 10)
    single = text_of(await underwriter.open("/desk"))
    await case_of(service, name="Merrow & Sons", domain="red-flags")
    await move_days(service, 10)
    two = text_of(await underwriter.open("/desk"))

    assert "1 waits, 1 is late." in single
    assert "Late · 1" in single
    assert "2 wait, 2 are late." in two
    assert "Late · 2" in two
