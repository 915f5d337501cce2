"""Who may see what: every page, for every role and for nobody, own and another partner's."""

import re
import uuid
from typing import Any

import pytest

from bindery.actions.documents.issue_certificates import issue_certificates
from bindery.domain.access.caller import Caller
from bindery.domain.access.users import Role
from bindery.domain.documents.holders import Holder
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import JournalEntry
from bindery.settings import Environment, Settings
from bindery.web.frame.route import Route
from bindery.web.pages import EVERYWHERE, PAGES, pages_of
from scenarios.test_bordereaux import make
from support.binding import decide, issue, one_quoted
from support.book import binder_file, import_file
from support.drafts import start
from support.links import link_to
from support.people import Person, sign_in_as
from support.service import Service

STREAM = "/live"
"""It answers as long as somebody listens; `test_live.py` listens to it."""
OPEN_TO_ALL = {
    *("/", "/static/{name}", "/sign-in", "/sign-in/code", "/demo/sign-in", "/demo/components"),
    *("/forgot-password", "/new-password/{token}"),
    *(row.path for row in PAGES if row.is_link),
}

HOLDER = Holder(
    name="First Harbor Bank",
    street="12 Wharf Street",
    street2="",
    city="Boston",
    state="MA",
    zip="02110",
    wording="evidence",
    description="",
)


def filled(path: str) -> str:
    values = {
        "company_id": "123456789",
        "user_id": "999999",
        "key": "nosuchkey",
        "kind": "quote_letter",
        "name": "x",
    }
    return re.sub(r"\{(\w+)\}", lambda found: values.get(found.group(1), str(uuid.UUID(int=7))), path)


def test_only_the_way_in_and_links_to_clients_are_open_to_strangers() -> None:
    assert all(row.path.startswith("/s/{token}") for row in PAGES if row.is_link)
    assert {row.path for row in PAGES if row.who is None} == OPEN_TO_ALL


def test_only_the_demo_lets_people_in_without_a_password() -> None:
    production = Settings(environment=Environment.PRODUCTION)

    assert pages_of(production) == EVERYWHERE
    assert "/demo/sign-in" not in {row.path for row in EVERYWHERE}


# `make test` asks the same of what exists, further below.
@pytest.mark.long
@pytest.mark.parametrize("role", Role)
async def test_a_role_sees_its_own_pages_and_knows_of_no_others(service: Service, role: Role) -> None:
    async with await sign_in_as(service, role) as person:
        for row in EVERYWHERE:
            if row.who is None or row.path.startswith(("/sign-out", "/account")) or row.path == STREAM:
                continue
            for method in row.handlers:
                answer = await person.http.request(
                    method, filled(row.path), headers={"Sec-Fetch-Site": "same-origin"}
                )
                if role not in row.who:
                    assert answer.status_code == 404, (method, row.path)
                else:
                    # There: it answers, or says that this company, quote or case is not there.
                    assert answer.status_code in {200, 204, 303, 404, 415, 422}, (
                        method,
                        row.path,
                        answer.text,
                    )


async def test_strangers_are_asked_to_sign_in_wherever_they_go(service: Service) -> None:
    for row in EVERYWHERE:
        if row.who is None:
            continue
        for method in row.handlers:
            answer = await service.http.request(
                method, filled(row.path), headers={"Sec-Fetch-Site": "same-origin"}
            )
            if method == "POST" and row.path != "/sign-out":
                # What a form holds may be kept until its sender has signed in; nothing is done.
                assert answer.status_code == 403, (method, row.path)
                assert "<h1>Sign in</h1>" in answer.text
            else:
                assert answer.status_code == 303, (method, row.path)
                assert answer.headers["location"].startswith("/sign-in")


SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin"}
ALLOWED = {200, 303, 409, 415, 422}
"""What answers those who may: the page, its next one, or what is wrong with an empty form."""
LEAVES = {"/sign-out", "/sign-in", STREAM}


def has_red_flags(body: dict[str, Any]) -> None:
    body["client"].update(name="Asked Ltd", domains=["red-flags.example.com"])


async def things(service: Service) -> dict[str, str]:
    """Make one of everything that an address can name: a policy with its papers, mails and deliveries."""
    webhook = {"endpoint": "http://127.0.0.1:9/hook", "quote_level": True, "policy_level": True}
    assert (await service.post("/v2/webhooks", webhook)).status_code < 300
    quote = await one_quoted(service)
    await link_to(service, quote)
    await decide(service, await one_quoted(service, has_red_flags), "ask", reason="Is RDP closed?")
    policy = await issue(service, quote)
    await issue_certificates(
        service.runtime.database,
        service.runtime.rules,
        Caller(partner_id=service.partner.partner_id, actor="ann@example.com"),
        uuid.UUID(policy["quote_identifier"]),
        [HOLDER],
    )
    asked = {"effective": policy["dates"]["effective"], "changes": {"dba": "Asked"}, "reason": "Asked for."}
    change = await service.post(f"/v2/policies/{policy['quote_identifier']}/changes", asked)
    assert change.status_code == 200, change.text
    async with await sign_in_as(service, Role.UNDERWRITER, email="una@example.com"):
        pass
    async with await sign_in_as(service, Role.BROKER, email="ben@example.com") as ben:
        place = await start(ben, **{"client.name": "Taken LLC (bor)"})
        await ben.send(f"{place}/letter", files={"file": ("letter.pdf", b"%PDF-1.7\n%%EOF\n")})
    await import_file(service, binder_file(inception="2020-01-01", expiry="2021-01-01"))
    await make(service, service.runtime.settings.data_dir, "2020-02", because="The PIN is applied for.")
    row = await service.runtime.database.pool.fetchrow(
        """
        select q.submission_id, q.quote_id, q.company_id,
               (select document_id from uploads limit 1) as document_id,
               (select contingency_id from contingencies where quote_id = q.quote_id limit 1)
                   as contingency_id,
               (select webhook_id from webhooks) as webhook_id,
               (select max(delivery_id) from deliveries) as delivery_id,
               (select mail_id from mails limit 1) as mail_id,
               (select user_id from users where email = 'una@example.com') as user_id,
               (select token_id from tokens limit 1) as token_id,
               (select issue_id from certificates) as issue_id, (select number from certificates) as number,
               (select draft_id from drafts) as draft_id, (select link_id from client_links) as link_id,
               (select letter_id from record_letters) as letter_id,
               (select change_id from policy_changes) as change_id,
               (select question_id from broker_questions) as question_id
        from quotes q where q.quote_id = $1
        """,
        uuid.UUID(policy["quote_identifier"]),
    )
    assert row is not None
    assert None not in row.values(), dict(row)
    named = {name: str(value) for name, value in row.items()}
    named |= {"key": service.partner.key, "kind": "quote_letter", "picture": "funnel"}
    return {**named, "state": "OR", "code": "tax", "period": "2027-Q1", "bordereau_id": "1", "format": "csv"}


def naming(path: str, values: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: values[found.group(1)], path)


def walked() -> list[tuple[Route, str]]:
    """Return every page that asks who is there, with each of its methods."""
    return [
        (row, method)
        for row in PAGES
        if row.who is not None and row.path not in LEAVES
        for method in row.handlers
    ]


async def ask(person: Person, row: Route, method: str, values: dict[str, str]) -> int:
    """Ask for a page of something that exists; a form names what it is about and is empty otherwise."""
    path = naming(row.path, values)
    if row.path == "/live/news":
        path += "?about=&at="
    if row.path == "/ops/filings/report.csv":
        path += "?state=OR&period=2027-Q1"
    if row.path == "/sure":
        path += "?step=decline&to=/desk&back=/desk"
    fields = {name: values[name] for name in ("quote_id", "contingency_id", "token_id")}
    if row.path.endswith("/uploads") and method == "POST":
        answer = await person.post(path, files={"file": ("a.exe", b"MZ")})
    else:
        data = fields if method == "POST" else None
        answer = await person.http.request(method, path, data=data, headers=SAME_ORIGIN)
    return answer.status_code


async def what_there_is(service: Service) -> list[Any]:
    """Return what forms could have changed."""
    tables = (
        *("journal", "users", "tokens", "partners", "brokers", "desk_notes", "desk_items", "uploads"),
        *("certificates", "client_links", "filings", "bordereaux", "calendar_feeds", "policy_changes"),
    )
    pool = service.runtime.database.pool
    return [await pool.fetch(f"select t::text from {table} t order by 1") for table in tables]


@pytest.mark.parametrize("role", Role)
async def test_what_exists_opens_to_the_roles_of_the_table_and_to_no_others(
    service: Service, role: Role
) -> None:
    values = await things(service)
    async with await sign_in_as(service, role) as person:
        before = await what_there_is(service)
        for row, method in walked():
            if row.who is not None and role not in row.who:
                assert await ask(person, row, method, values) == 404, (method, row.path)
        assert await what_there_is(service) == before

        for row, method in walked():
            if row.who is not None and role in row.who and row.path not in {"/live/news", "/live/left"}:
                assert await ask(person, row, method, values) in ALLOWED, (method, row.path)


async def test_what_exists_is_unknown_to_another_partners_broker_and_asks_strangers_to_sign_in(
    service: Service,
) -> None:
    values = await things(service)
    other = await service.new_partner("Another house")
    async with await sign_in_as(other, Role.BROKER, email="eve@example.com") as eve:
        before = await what_there_is(service)
        for row, method in walked():
            if "{" in row.path:
                assert await ask(eve, row, method, values) == 404, (method, row.path)
        assert await what_there_is(service) == before

    stranger = Person(service.http, "")
    for row, method in walked():
        expected = 403 if method == "POST" else 303
        assert await ask(stranger, row, method, values) == expected, (method, row.path)
    assert await what_there_is(service) == before


async def test_another_partners_company_is_answered_like_one_that_is_not_there(
    working_service: Service, broker: Person
) -> None:
    quote = await working_service.quote()
    other = await working_service.new_partner("Another house")
    async with await sign_in_as(other, Role.BROKER, email="eve@example.com") as eve:
        identifier, company_id = quote["quote_identifier"], quote["company_id"]
        for path in (
            f"/company/{company_id}",
            f"/company/{company_id}/compare",
            f"/quote/{identifier}",
            f"/quote/{identifier}/bind",
            f"/quote/{identifier}/document/quote_letter",
        ):
            theirs = await eve.http.get(path)
            unknown = await eve.http.get(
                path.replace(str(company_id), "987654321").replace(identifier, str(uuid.UUID(int=9)))
            )
            assert theirs.status_code == unknown.status_code == 404, path
            assert _without_id(theirs.text) == _without_id(unknown.text)
        for path in (f"/quote/{identifier}/bind", f"/policy/{identifier}/renewal"):
            assert (await eve.post(path, effective="2026-11-20")).status_code == 404, path
        upload = await eve.post(f"/quote/{identifier}/uploads", files={"file": ("a.pdf", b"%PDF-1.7")})
        assert upload.status_code == 404
        assert quote["company_id"] not in await eve.open("/companies?mine=0")
        assert "/company/" not in await eve.open(f"/search?q={company_id}")
    assert (await broker.http.get(f"/company/{company_id}")).status_code == 200


def _without_id(page: str) -> str:
    return re.sub(r"Request \S+", "", page)


async def moves_of(service: Service, quote: dict[str, Any]) -> list[JournalEntry]:
    """Return the journal without the documents, which an idle worker makes whoever looks."""
    entries = await service.journal(quote["quote_identifier"])
    return [entry for entry in entries if entry.trigger != Trigger.MAKE_DOCUMENTS]


async def test_looking_changes_nothing(working_service: Service, broker: Person, underwriter: Person) -> None:
    quote = await working_service.quote()
    before = await moves_of(working_service, quote)

    for row in EVERYWHERE:
        if row.get is not None and row.who and row.path != STREAM:
            path = row.path.replace("{company_id}", quote["company_id"])
            path = path.replace("{quote_id}", quote["quote_identifier"])
            for person in (broker, underwriter):
                await person.http.get(filled(path))

    assert await moves_of(working_service, quote) == before
