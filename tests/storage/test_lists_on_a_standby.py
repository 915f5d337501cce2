"""Which pages and operations are read from a standby: every list, report and export but those named here."""

import re
from itertools import chain
from pathlib import Path
from typing import Any

import httpx
import pytest

from bindery.domain.access.users import Role
from bindery.domain.today import TaskKind
from bindery.storage.migrate import migrate
from bindery.storage.replica import WRITTEN
from bindery.web.pages import EVERYWHERE
from support.binding import issue, one_quoted
from support.book import binder_file, import_file
from support.debian_postgres import debian_postgres, standby_of
from support.people import sign_in_as
from support.service import Service, request_body, serving, working
from support.statements import statements_of
from support.waiting import eventually

pytestmark = pytest.mark.long

# What each is asked for, so that it has rows to show.
LISTS = {
    Role.BROKER: {
        "/": ["/"],
        "/today": [f"/today?list={which}" for which in ("waiting", *TaskKind)],
        "/search": ["/search?q=bakery", "/search?q={company}", "/search?q={policy}"],
        "/companies": ["/companies", "/companies?mine=0&q=bakery", "/companies?mine=team&sort=premium"],
        "/companies.csv": ["/companies.csv?mine=0"],
        "/drafts": ["/drafts"],
        "/renewals": ["/renewals?mine=0&days=400"],
        "/renewals.csv": ["/renewals.csv?mine=0&days=400"],
    },
    Role.UNDERWRITER: {
        "/desk": ["/desk", "/desk?view=mine", "/desk?q=bakery"],
        "/desk/letters": ["/desk/letters"],
        "/desk/renewals": ["/desk/renewals?days=120"],
        "/desk/renewals.csv": ["/desk/renewals.csv?days=120"],
    },
    Role.OPERATOR: {
        "/ops/binders": ["/ops/binders"],
        "/ops/bordereaux": ["/ops/bordereaux"],
        "/ops/brokers": ["/ops/brokers"],
        "/ops/deeds": ["/ops/deeds"],
        "/ops/deeds.csv": ["/ops/deeds.csv"],
        "/ops/filings": ["/ops/filings", "/ops/filings?view=unknown"],
        "/ops/filings/report.csv": ["/ops/filings/report.csv?state=CA&period=2027-01"],
        "/ops/ledger": ["/ops/ledger", "/ops/ledger?binder=none"],
        "/ops/ledger.csv": ["/ops/ledger.csv"],
        "/ops/mails": ["/ops/mails"],
        "/ops/users": ["/ops/users"],
        "/ops/webhooks": ["/ops/webhooks"],
        "/search": ["/search?q={quote}", "/search?q={company}", "/search?q=partner"],
    },
}
OPERATIONS = [
    *("/v2/quotes", "/v2/policies", "/v2/companies?q=bakery"),
    "/v2/webhooks/{webhook}/deliveries",
]
OF_THE_PRIMARY = {
    "/ops": "its figures are of the standby; what needs a look is asked of the server that does the work",
    "/ops/jobs": "the queue is asked of the server that does the work",
    "/ops/check": "it is about the server that does the work",
    "/ops/partners": "a standby does not have the counts of requests",
    "/ops/tokens": "a standby does not have the counts of requests",
    **dict.fromkeys(("/live", "/live/news"), "it tells of what has just happened"),
    **dict.fromkeys(
        (
            "/sign-in",
            "/sign-in/code",
            "/forgot-password",
            "/account",
            "/account/confirm",
            "/account/two-step",
        ),
        "it is about the user",
    ),
    "/new": "a form",
    "/ops/settings": "it reads nothing",
}


def test_every_address_that_names_no_thing_is_a_list_or_has_its_reason() -> None:
    listed = {path for pages in LISTS.values() for path in pages}

    assert {row.path for row in EVERYWHERE if row.get and "{" not in row.path} == listed | set(OF_THE_PRIMARY)
    assert not listed & set(OF_THE_PRIMARY)


# Who asks, how far the demo's clock is, and how far the primary has written; then what is written a
# while after a request: when its token was used and which processes live, with what the driver asks for that.
ALLOWED = re.compile(
    r"select pg_wal_lsn_diff|select ahead from service_clock"
    r"|where s\.token_sha256 = |from tokens join partners"
    r"|insert into token_uses|delete from processes|typeinfo_tree|set_config\('jit'"
)


async def test_lists_reports_and_exports_are_read_from_the_standby(tmp_path: Path) -> None:
    with debian_postgres() as primary:
        await migrate(primary.dsn)
        with standby_of(primary) as standby:
            async with serving(primary.dsn, tmp_path / "made") as made:
                names = await things(made)
                async with serving(
                    primary.dsn,
                    tmp_path / "read",
                    replica_url=standby.dsn,
                    pool_size=1,
                    partner=(made.partner, made.token),
                ) as service:
                    await eventually(
                        lambda: service.runtime.database.read(
                            lambda tx: tx.value(bool, "select pg_is_in_recovery()")
                        ),
                        bool,
                    )
                    found = await asked_of_the_primary(service, names)

    assert {address: statements for address, statements in found.items() if statements} == {}


async def things(service: Service) -> dict[str, str]:
    endpoint = "http://127.0.0.1:9/hook"
    hook = await service.post(
        "/v2/webhooks", {"endpoint": endpoint, "quote_level": True, "policy_level": True}
    )
    await import_file(service, binder_file(inception="2020-01-01", expiry="2040-01-01"))
    async with working(service):
        quote = await one_quoted(service)
        policy = await issue(service, quote)

        def has_red_flags(body: dict[str, Any]) -> None:
            body["client"]["domains"] = ["red-flags.example.com"]

        referred = await service.post("/v2/quotes", request_body(has_red_flags))
        await service.ready(referred.json()["quotes"][0]["quote_identifier"])
    return {
        "quote": policy["quote_identifier"],
        "company": str(policy["company_id"]),
        "policy": policy["policy_number"],
        "webhook": hook.json()["id"],
    }


async def asked_of_the_primary(service: Service, names: dict[str, str]) -> dict[str, list[str]]:
    found = {}

    async def ask(http: httpx.AsyncClient, address: str, sent: list[str], **more: Any) -> None:
        sent.clear()
        answer = await http.get(address.format(**names), **more)
        assert answer.status_code in {200, 303}, (address, answer.text)
        assert WRITTEN in sent, address
        found[address] = [statement for statement in sent if not ALLOWED.search(statement)]

    async with statements_of(service) as sent:
        for address in OPERATIONS:
            await ask(service.http, address, sent, headers=service.headers)
    for role, pages in LISTS.items():
        async with await sign_in_as(service, role) as person, statements_of(service) as sent:
            for address in chain.from_iterable(pages.values()):
                await ask(person.http, address, sent)
    return found
