"""A broker sees what was decided and why; who decided, only where the operator lets brokers see it.

Underwriters' notes, addresses and authority stay with them either way.
"""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from bindery.domain.access.users import Role
from support.binding import bind, issue, one_quoted, shown
from support.people import Person, fields_of, sign_in_as, text_of
from support.service import Service, serving

UMA = "uma.underwriter@example.com"
NAME = "Pat Underwriter"
NOTE = "Their adviser is known to us from the Merrow case"
REASON = "The remote desktop is closed by now"


NAMES = ["names hidden", "names shown"]
both_ways = pytest.mark.parametrize("service", [False, True], ids=NAMES, indirect=True)
"""For what `make test` looks at with names too; `make test-long` does it with everything."""


@pytest.fixture(params=[False, pytest.param(True, marks=pytest.mark.long)], ids=NAMES)
async def service(request: pytest.FixtureRequest, dsn: str, tmp_path: Path) -> AsyncIterator[Service]:
    """A service whose operator hides underwriters from brokers, and another who does not."""
    async with serving(dsn, tmp_path, brokers_see_underwriters=request.param) as opened:
        yield opened


@pytest.fixture
async def uma(service: Service) -> AsyncIterator[Person]:
    async with await sign_in_as(service, Role.UNDERWRITER, email=UMA) as signed_in:
        yield signed_in


def is_told(service: Service, said: str, history: str, *, by: str = NAME) -> bool:
    """Whether a line says what an underwriter did, when, and who it was where brokers see that."""
    time = r"[A-Z][a-z]{2} \d+, \d+:\d\d [AP]M"
    who = rf" · {by} " if service.runtime.settings.brokers_see_underwriters else r" (?!·)"
    return re.search(f"{said} {time}{who}", history) is not None


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


def history_in(page: str) -> str:
    """Return the history of a company page."""
    (found,) = re.findall(r'<section class="card" aria-labelledby="history">.*?</section>', page, re.DOTALL)
    return str(found)


async def read_as_broker(service: Service, broker: Person, quote: dict[str, Any]) -> str:
    """Return the history that a broker reads of a quote, after a look for names at everything else."""
    identifier, company = quote["quote_identifier"], f"/company/{quote['company_id']}"
    read = {
        path: await broker.http.get(path, follow_redirects=True)
        for path in (
            company,
            f"/quote/{identifier}",
            f"/search?q={identifier}",
            f"{company}/compare",
            f"{company}/changes",
            f"/quote/{identifier}/bind",
            f"/live/news?about=company+{quote['company_id']}&at=2026-01-01T00:00:00Z",
            "/companies?mine=0",
            "/companies.csv?mine=0",
            "/renewals?days=400&mine=0",
        )
    }
    # A file that is refused brings the company page back; for what is over, every file is.
    refused = await broker.post(f"/quote/{identifier}/uploads", files={"file": ("a.exe", b"MZ\x90\x00")})
    assert {answer.status_code for answer in read.values()} <= {200, 409}
    assert refused.status_code in {409, 415}
    pages = {path: answer.text for path, answer in read.items()} | {"refused": refused.text}
    histories = {history_in(pages[path]) for path in (company, f"/quote/{identifier}", "refused")}
    (history,) = histories

    for kind in (await shown(service, identifier))["available_documents"]:
        answer = await broker.http.get(f"/quote/{identifier}/document/{kind}", follow_redirects=True)
        pages[kind] = "\n".join(
            page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(answer.content)
        )
    pages["quote"] = (await service.get(f"/v2/quotes/{identifier}")).text
    pages["events"] = (await service.get("/v2/events")).text
    mails = await service.runtime.database.pool.fetch("select subject, body from mails")
    pages["mails"] = "\n".join(f"{mail['subject']}\n{mail['body']}" for mail in mails)
    assert {
        (path, hidden)
        for path, text in pages.items()
        for hidden in (UMA, NAME, NOTE)
        if hidden in text.replace(history, "")
    } == set()
    assert not [hidden for hidden in (UMA, NOTE, "authority", broker.email) if hidden in history]
    if not service.runtime.settings.brokers_see_underwriters:
        assert NAME not in history
    return history


@both_ways
async def test_of_an_approval_a_broker_reads_the_reason(
    service: Service, broker: Person, uma: Person
) -> None:
    quote = await one_quoted(service, lambda body: body["client"].update(domains=["red-flags.example.com"]))
    path = await case_of(service, quote)
    await uma.send(f"{path}/take")
    await uma.send(f"{path}/note", note=NOTE)
    assert NAME not in await read_as_broker(service, broker, quote), "nobody has decided yet"

    await decide(uma, path, "approve", aggregate_retention="25000", premium="9000", sure="1:9000")

    history = await read_as_broker(service, broker, quote)
    assert is_told(service, rf"Option 1 was approved by the underwriter: {REASON}\.", text_of(history))
    published = re.search(r"Option 1 was published\. [A-Z][a-z]{2} \d", text_of(history))
    assert published, "the machine published it, and has no name"
    assert "approve_referral" not in history
    theirs = await uma.open(f"/company/{quote['company_id']}")
    assert UMA in theirs, "an underwriter reads who it was"
    assert "approve_referral" in theirs


async def test_of_a_price_set_by_hand_a_broker_reads_the_premium(
    service: Service, broker: Person, uma: Person
) -> None:
    quote = await one_quoted(service, lambda body: body["client"].update(domains=["calc-error.example.com"]))
    path = await case_of(service, quote)
    await uma.send(f"{path}/note", note=NOTE)

    await decide(uma, path, "approve", premium="4321", sure="1:4321")

    history = await read_as_broker(service, broker, quote)
    assert is_told(service, rf"Option 1 was approved by the underwriter: {REASON}\.", text_of(history))
    assert "$4,321" in text_of(await broker.open(f"/company/{quote['company_id']}"))


@pytest.mark.long
async def test_of_what_became_of_a_policy_a_broker_reads_the_reason(
    service: Service, broker: Person, uma: Person
) -> None:
    policy = await issue(service, await one_quoted(service))
    path = await case_of(service, policy)
    await uma.send(f"{path}/note", note=NOTE)

    await decide(uma, path, "cancel")
    canceled = text_of(await read_as_broker(service, broker, policy))
    await decide(uma, path, "reinstate")
    reinstated = text_of(await read_as_broker(service, broker, policy))

    assert is_told(service, rf"returned: {REASON}\.", canceled)
    assert is_told(service, rf"Option 1 was reinstated: {REASON}\.", reinstated)


async def test_of_a_declined_bind_a_broker_reads_the_reason(
    service: Service, broker: Person, uma: Person
) -> None:
    quote = await one_quoted(service, lambda body: body["client"].update(name="Marigold House (prebind)"))
    await bind(service, quote)
    path = await case_of(service, quote)
    await uma.send(f"{path}/note", note=NOTE)

    await decide(uma, path, "decline")

    history = text_of(await read_as_broker(service, broker, quote))
    assert is_told(service, rf"Option 1 was declined: {REASON}\.", history)


@both_ways
async def test_an_underwriter_without_a_name_goes_by_the_address_also_when_disabled(
    service: Service, broker: Person, uma: Person
) -> None:
    quote = await one_quoted(service, lambda body: body["client"].update(domains=["red-flags.example.com"]))
    await decide(uma, await case_of(service, quote), "decline")
    await service.runtime.database.pool.execute(
        "update users set name = '', disabled_at = now() where email = $1", UMA
    )

    history = text_of(history_in(await broker.open(f"/company/{quote['company_id']}")))

    assert is_told(service, rf"Option 1 was declined: {REASON}\.", history, by=UMA)


@both_ways
async def test_an_operator_sees_whether_brokers_see_underwriters(service: Service, operator: Person) -> None:
    page = await operator.open("/ops/settings")

    rows = [text_of(row) for row in re.findall(r"<tr>.*?</tr>", page, re.DOTALL)]
    (row,) = [row for row in rows if row.startswith("BINDERY_BROKERS_SEE_UNDERWRITERS ")]
    is_named = service.runtime.settings.brokers_see_underwriters
    assert row.endswith(f" {'yes command line' if is_named else 'no default'} no")
