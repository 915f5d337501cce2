"""A broker sees what was decided and why, and never who decided, what underwriters noted or may decide."""

import re
from typing import Any

import pytest

from bindery.domain.access.users import Role
from support.binding import bind, issue, one_quoted, shown
from support.people import Person, fields_of, sign_in_as, text_of
from support.service import Service

UMA = "uma.underwriter@example.com"
NOTE = "Their adviser is known to us from the Merrow case"
REASON = "The remote desktop is closed by now"


@pytest.fixture
async def uma(service: Service) -> Person:
    return await sign_in_as(service, Role.UNDERWRITER, email=UMA)


async def case_of(service: Service, quote: dict[str, Any]) -> str:
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1::text::uuid", quote["quote_identifier"]
    )
    return f"/desk/case/{submission_id}"


async def decide(uma: Person, path: str, decision: str, **more: Any) -> None:
    form = fields_of(await uma.open(path), f"{path}/decide")
    typed = {**form, "reason": REASON, **more}
    if decision == "approve":
        # The premium has to be on the page before it is approved.
        typed = fields_of(await uma.send(f"{path}/preview?option=1", **typed), f"{path}/decide")
    page = await uma.send(f"{path}/decide?option=1", **{**typed, "decision": decision})
    assert 'role="alert"' not in page, text_of(page)


async def read_as_broker(broker: Person, quote: dict[str, Any]) -> str:
    """Return everything a broker can read of a quote, folded entries too, after a look for names."""
    identifier, company = quote["quote_identifier"], f"/company/{quote['company_id']}"
    pages = {
        path: await broker.http.get(path, follow_redirects=True)
        for path in (
            company,
            f"{company}/compare",
            f"{company}/changes",
            f"/quote/{identifier}",
            f"/quote/{identifier}/bind",
            f"/search?q={identifier}",
            f"/live/news?about=company+{quote['company_id']}&at=2026-01-01T00:00:00Z",
            "/companies?mine=0",
            "/companies.csv?mine=0",
            "/renewals?days=400",
        )
    }
    for path, answer in pages.items():
        assert answer.status_code in {200, 409}, (path, answer.status_code)
        for hidden in (UMA, "uma.", "Pat Underwriter", NOTE, "authority"):
            assert hidden not in answer.text, (path, hidden)
    return pages[company].text


async def test_of_an_approval_a_broker_reads_the_reason_and_nobodys_name(
    service: Service, broker: Person, uma: Person
) -> None:
    quote = await one_quoted(service, lambda body: body["client"].update(domains=["red-flags.example.com"]))
    path = await case_of(service, quote)
    await uma.send(f"{path}/take")
    await uma.send(f"{path}/note", note=NOTE)
    await read_as_broker(broker, quote)

    await decide(uma, path, "approve", aggregate_retention="25000", premium="9000")

    page = await read_as_broker(broker, await shown(service, quote["quote_identifier"]))
    assert f"Option 1 was approved by the underwriter: {REASON}." in text_of(page)
    assert "approve_referral" in "".join(re.findall(r"<pre>(.*?)</pre>", page, re.DOTALL))
    theirs = await uma.open(f"/company/{quote['company_id']}")
    assert UMA in theirs, "an underwriter reads who it was"
    await uma.http.aclose()


async def test_of_a_price_set_by_hand_a_broker_reads_no_name(
    service: Service, broker: Person, uma: Person
) -> None:
    quote = await one_quoted(service, lambda body: body["client"].update(domains=["calc-error.example.com"]))
    path = await case_of(service, quote)
    await uma.send(f"{path}/note", note=NOTE)

    await decide(uma, path, "approve", premium="4321")

    page = await read_as_broker(broker, await shown(service, quote["quote_identifier"]))
    assert "$4,321" in text_of(page)
    await uma.http.aclose()


async def test_of_what_became_of_a_policy_a_broker_reads_the_reason_and_nobodys_name(
    service: Service, broker: Person, uma: Person
) -> None:
    policy = await issue(service, await one_quoted(service))
    path = await case_of(service, policy)
    await uma.send(f"{path}/note", note=NOTE)

    await decide(uma, path, "cancel")
    canceled = text_of(await read_as_broker(broker, policy))
    await decide(uma, path, "reinstate")
    reinstated = text_of(await read_as_broker(broker, policy))

    assert f"returned: {REASON}" in canceled
    assert f"Option 1 was reinstated: {REASON}." in reinstated
    await uma.http.aclose()


async def test_of_a_declined_bind_a_broker_reads_no_name(
    service: Service, broker: Person, uma: Person
) -> None:
    quote = await one_quoted(service, lambda body: body["client"].update(name="Marigold House (prebind)"))
    await bind(service, quote)
    path = await case_of(service, quote)
    await uma.send(f"{path}/note", note=NOTE)

    await decide(uma, path, "decline")

    page = await read_as_broker(broker, quote)
    assert f"Option 1 was declined: {REASON}." in text_of(page)
    await uma.http.aclose()
