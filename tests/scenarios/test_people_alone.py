"""Production from an empty database: everything that people decide is decided on the platform."""

import asyncio
import contextlib
import re
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from bindery.actions.timetable.move_clock import run_what_is_due
from bindery.base.clock import Clock
from bindery.outside.scanner.simulated import SimulatedScanner
from bindery.runtime import Runtime, running
from bindery.server.app import create_app
from bindery.settings import load_settings
from bindery.worker.worker import run_worker
from support.papers import signed
from support.people import Person, fields_of, links_of, text_of
from support.postgres import create_database, drop_database
from support.processes import Program
from support.service import SECRET, request_body
from support.waiting import eventually

pytestmark = pytest.mark.long

PLATFORM = "https://desk.bindery.example"
PASSWORD = "a pass phrase that is long"
STATED = {"app_attestation": ["same", "signed", "unchanged"]}
OPERATOR, BROKER, UNDERWRITER = "ollie@bindery.example", "bo@quillstone.example", "uma@bindery.example"


class LaterClock(Clock):
    """A clock that the test sets ahead; production has no other way to a later day than waiting."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def real_now(self) -> datetime:  # type: ignore[override] # the real one needs no instance
        return datetime.now(UTC) + self.ahead


@dataclass
class Production:
    """A production service with its worker, and whoever talks to it."""

    runtime: Runtime
    clock: LaterClock
    transport: httpx.ASGITransport
    browsers: list[httpx.AsyncClient] = field(default_factory=list)

    def browser(self) -> httpx.AsyncClient:
        """Open a browser; the cookie of production goes over https alone."""
        browser = httpx.AsyncClient(transport=self.transport, base_url=PLATFORM, timeout=60)
        self.browsers.append(browser)
        return browser

    async def signed_in(self, email: str) -> Person:
        """Sign somebody in by the form."""
        person = Person(self.browser(), email, origin=PLATFORM)
        page = await person.send("/sign-in", email=email, password=PASSWORD)
        assert "Sign out" in page
        return person


@dataclass
class Partner:
    """A partner's program with its token."""

    http: httpx.AsyncClient
    token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    async def quoted(self, name: str, domain: str) -> dict[str, Any]:
        """Submit one option and wait for it."""
        body = request_body()
        body["client"].update(name=name, domains=[domain], broker_email=BROKER)
        # Two applicants of one address would be taken for one.
        body["client"]["address"]["street"] = f"{len(name)} Market Street"
        body["policy"]["quotes"] = body["policy"]["quotes"][:1]
        answer = await self.http.post("/v2/quotes", json=body, headers=self.headers)
        assert answer.status_code == 200, answer.text
        return await self.shown(answer.json()["quotes"][0]["quote_identifier"])

    async def shown(self, identifier: str) -> dict[str, Any]:
        """Return a quote that is worked out."""
        headers = {**self.headers, "Prefer": "wait=20"}
        answer = await eventually(
            lambda: self.http.get(f"/v2/quotes/{identifier}", headers=headers),
            lambda seen: seen.status_code != 202,
        )
        quote: dict[str, Any] = answer.json()
        return quote


@pytest.fixture
async def program(server: str, tmp_path: Path) -> AsyncIterator[Program]:
    """The command line of a production installation whose database is empty."""
    name = f"production_{uuid.uuid4().hex}"
    variables = {
        "BINDERY_ENVIRONMENT": "production",
        "BINDERY_DATABASE_URL": await create_database(server, name),
        "BINDERY_SECRET_KEY": SECRET,
        "BINDERY_BASE_URL": f"{PLATFORM}/v2",
        "BINDERY_PLATFORM_URL": PLATFORM,
        "BINDERY_PRESSES": "0",
    }
    yield Program(tmp_path, variables)
    await drop_database(server, name)


@contextlib.asynccontextmanager
async def in_production(program: Program) -> AsyncIterator[Production]:
    """Run the service with the settings of the command line, its worker next to it.

    The scan is a simulated one, since tests reach nobody outside, and the clock is the test's.
    """
    settings = load_settings(program.environment(), env_file=program.folder / "none")
    clock, stop = LaterClock(), asyncio.Event()
    async with running(settings, settings.database_url) as made:
        made.database._clock = clock
        runtime = replace(made, clock=clock, scanner=SimulatedScanner())
        worker = asyncio.create_task(run_worker(runtime, concurrency=10, stop=stop))
        production = Production(
            runtime, clock, httpx.ASGITransport(create_app(runtime), raise_app_exceptions=False)
        )
        try:
            yield production
        finally:
            stop.set()
            await worker
            for browser in production.browsers:
                await browser.aclose()


async def test_from_an_empty_database_people_alone_bring_a_partner_to_policies(program: Program) -> None:
    program.run("migrate").good()
    added = program.run(
        *("user", "add", OPERATOR, "--role", "operator", "--name", "Ollie", "--password-stdin"),
        stdin=f"{PASSWORD}\n",
    )
    assert f"{PLATFORM}/sign-in" in added.good()

    async with in_production(program) as production:
        partner = await set_up_partner(production)
        broker = await production.signed_in(BROKER)
        underwriter = await production.signed_in(UNDERWRITER)

        referred = await partner.quoted("Quarrelsome Foundry Inc", "red-flags.example.com")
        assert referred["quote_status"] == "quote_referred"
        await approve_first_case(underwriter, "Quarrelsome Foundry Inc")
        await bind_with_application(broker, await partner.shown(referred["quote_identifier"]))
        policy = await partner.shown(referred["quote_identifier"])
        await cancel(underwriter, policy)
        assert (await partner.shown(policy["quote_identifier"]))["quote_status"] == "policy_canceled"
        await reinstate(underwriter, policy)
        policy = await partner.shown(policy["quote_identifier"])
        assert policy["quote_status"] == "policy_active"
        renewed = await renew(production, partner, policy)

        assert renewed["quote_status"] == "policy_active"
        assert renewed["renewal"]["renews"] == referred["quote_identifier"]
        await look_at_journals(production, policy, renewed)


async def set_up_partner(production: Production) -> Partner:
    """Add a partner, its broker and an underwriter as the operator, and issue a token."""
    operator = await production.signed_in(OPERATOR)
    page = await operator.send("/ops/partners", name="Quillstone Brokers", contact="it@quillstone.example")
    key = found(r"/ops/partners/(\w{8})/tokens", page)
    await operator.send(f"/ops/partners/{key}/brokers", email=BROKER)
    for email, role, of in ((BROKER, "broker", "Quillstone Brokers"), (UNDERWRITER, "underwriter", "")):
        page = await operator.send(
            "/ops/users", email=email, name=email.partition("@")[0], role=role, partner=of
        )
        # No mail goes out here, so the operator hands the link over.
        link = found(rf'<pre id="link">{PLATFORM}(.*?)</pre>', page)
        await Person(production.browser(), email, origin=PLATFORM).send(link, password=PASSWORD)
    token = found(r'<pre id="token">(.*?)</pre>', await operator.send(f"/ops/partners/{key}/tokens"))
    return Partner(production.browser(), token)


async def approve_first_case(underwriter: Person, name: str) -> None:
    """Take what waits, and approve it at the premium on the page."""
    page = await underwriter.send("/desk/next")
    assert name in text_of(page)
    path = found(r'action="(/desk/case/[0-9a-f-]+)/decide', page)
    form = fields_of(page, f"{path}/decide")
    page = await underwriter.send(f"{path}/decide?option=1", **{**form, "decision": "approve"})
    assert "Option 1 is published at $" in text_of(page)


async def bind_with_application(broker: Person, quote: dict[str, Any]) -> None:
    """Upload the application that was issued, as it comes back signed, and bind."""
    identifier = quote["quote_identifier"]
    application = await broker.http.get(f"/quote/{identifier}/document/application")
    signature = next(row for row in quote["contingencies"] if "signed and dated" in row["text"])
    path = f"/quote/{identifier}/bind"
    form = {**fields_of(await broker.open(path), path), "contingency_id": signature["contingency_id"]}
    page = await broker.send(
        f"{path}/preview",
        files={"file": ("signed.pdf", signed(application.content))},
        **{**form, **STATED, "step": "preview"},
    )
    assert "It is signed." in text_of(page)
    assert "The policy is issued at once" in text_of(page)
    form = {**fields_of(page, path), **STATED}
    assert "is issued." in text_of(await broker.send(path, **{**form, "step": "bind"}))


async def cancel(underwriter: Person, policy: dict[str, Any]) -> None:
    """Find the policy by its number and cancel it."""
    page = await decide(underwriter, policy, "cancel", "The insured moved elsewhere")
    assert "The policy of option 1 is canceled." in page


async def reinstate(underwriter: Person, policy: dict[str, Any]) -> None:
    """Find the policy by its number and put it in force again."""
    page = await decide(underwriter, policy, "reinstate", "The insured came back")
    assert "The policy of option 1 is reinstated." in page


async def decide(underwriter: Person, policy: dict[str, Any], decision: str, reason: str) -> str:
    company = await underwriter.open(f"/search?q={policy['policy_number']}")
    path = next(link for link in links_of(company) if link.startswith("/desk/case/")).partition("?")[0]
    form = fields_of(await underwriter.open(path), f"{path}/decide")
    return text_of(
        await underwriter.send(f"{path}/decide?option=1", **{**form, "decision": decision, "reason": reason})
    )


async def renew(production: Production, partner: Partner, policy: dict[str, Any]) -> dict[str, Any]:
    """Wait until the policy renews; an underwriter approves it again, the broker binds. Return it."""
    last_day = date.fromisoformat(policy["dates"]["expiration"])
    production.clock.ahead = timedelta(days=(last_day - datetime.now(UTC).date()).days - 20)
    await run_what_is_due(production.runtime)
    # Everybody was signed out months ago.
    await approve_first_case(await production.signed_in(UNDERWRITER), policy["client"]["name"])
    broker = await production.signed_in(BROKER)
    page = await broker.open("/renewals?days=90")
    assert policy["policy_number"] in page
    offered = found(r'href="/quote/([0-9a-f-]{36})">See the offer', page)
    path = f"/quote/{offered}/bind"
    page = await broker.open(path)
    page = await broker.send(path, **{**fields_of(page, path), "step": "bind"})
    assert "is issued." in text_of(page)
    return await partner.shown(offered)


async def look_at_journals(production: Production, *quotes: dict[str, Any]) -> None:
    """See that every decision bears the name of whoever took it, and nobody else's."""
    operator = await production.signed_in(OPERATOR)
    for quote in quotes:
        page = text_of(await operator.open(f"/ops/journal/{quote['quote_identifier']}"))
        assert "no entry has been altered or removed" in page
        assert BROKER in page
        assert UNDERWRITER in page
    page = text_of(await operator.open(f"/ops/journal/{quotes[0]['quote_identifier']}"))
    assert page.count(UNDERWRITER) >= len(("approve", "cancel", "reinstate"))


def found(pattern: str, page: str) -> str:
    """Return what a pattern finds on a page."""
    match = re.search(pattern, page)
    assert match is not None, (pattern, text_of(page)[:1000])
    return match.group(1)
