"""Attacks on links and codes: the rows of the table in docs/signing.md, each with its answer."""

import asyncio
import re
from collections.abc import Callable
from typing import Any

import pytest

from bindery.actions.signing.revoke_link import revoke_link
from bindery.actions.signing.send_link import SentLink
from bindery.domain.access.caller import Caller
from bindery.domain.access.users import Role
from bindery.web.client.link import form_token
from support.binding import DAY, bind, decide, one_quoted, quoted, set_day
from support.links import EMAIL, STATED, Client, code_on, link_to
from support.people import fields_of, links_of, sign_in_as, text_of
from support.service import Service, request_body
from support.source_tree import ROOT

pytestmark = pytest.mark.usefixtures("plain_printing")

HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex, nofollow, noarchive",
    "x-frame-options": "DENY",
    "cross-origin-resource-policy": "same-origin",
}


@pytest.fixture
async def sent(service: Service) -> SentLink:
    """A link by which one option is signed."""
    await set_day(service, DAY)
    return await link_to(service, await one_quoted(service))


@pytest.fixture
def client(service: Service, sent: SentLink) -> Client:
    return Client(service, sent)


async def row_of(service: Service, link: SentLink) -> dict[str, Any]:
    (found,) = await service.runtime.database.pool.fetch(
        "select * from client_links where link_id = $1", link.link_id
    )
    return dict(found)


async def test_guessing_a_link(service: Service, client: Client) -> None:
    answers = [await client.http.get(f"/s/{'A' * 42}{number % 10}") for number in range(31)]

    assert [answer.status_code for answer in answers] == [404] * 30 + [429]
    assert answers[-1].headers["retry-after"] == "900"
    # The owner of a link, at another address, is not kept from it.
    other = Client(service, await _link_of(service, client), address="203.0.113.8")
    assert "Please read the offer" in text_of(await other.open(client.path))


async def _link_of(service: Service, client: Client) -> SentLink:
    (row,) = await service.runtime.database.pool.fetch("select link_id, expires_at from client_links")
    return SentLink(
        link_id=row["link_id"], url=f"/s/{client.token}", expires_at=row["expires_at"], is_replayed=False
    )


async def test_guessing_a_code(service: Service, client: Client) -> None:
    coded = await client.fill(await client.open(f"{client.path}/sign"), "sign", **STATED, do="code")
    right = code_on(coded)
    wrong = "000000" if right != "000000" else "000001"

    tried = [text_of(await client.fill(coded, "sign", status=422, code=wrong, do="sign")) for _ in range(5)]
    sixth = text_of(await client.fill(coded, "sign", status=422, code=right, do="sign"))

    assert all("The code is not the code of the last mail." in page for page in tried)
    assert "The code does not work any more: have a new one mailed." in sixth
    assert "Nothing was signed" not in sixth
    # Five codes of a link, then none for a while.
    for _ in range(4):
        await client.fill(coded, "sign", do="code", **STATED)
    refused = text_of(await client.fill(coded, "sign", status=429, do="code", **STATED))
    assert "Too many codes were asked for." in refused
    assert await service.count("signatures") == 0


async def test_timing(service: Service, client: Client) -> None:
    """Whatever the reason, a link that does not work is looked up by the same statements."""
    sent: list[list[str]] = []
    pool = service.runtime.database.pool
    for path in (f"/s/{'A' * 43}", client.path):
        if path == client.path:
            await pool.execute("update client_links set status = 'revoked', settled_at = now()")
        found: list[str] = []
        async with pool.acquire() as connection:
            await connection.execute("select 1")
        loggers = await _listen(service, found)
        await client.http.get(path)
        await _unlisten(service, loggers)
        sent.append(
            [statement for statement in found if "client_link" in statement or "sign_in" in statement]
        )

    assert sent[0] == sent[1]
    assert sent[0]


async def _listen(service: Service, found: list[str]) -> Callable[[Any], None]:
    def note(statement: Any) -> None:
        found.append(statement.query)

    pool = service.runtime.database.pool
    held = [await pool.acquire() for _ in range(pool.get_max_size())]
    for connection in held:
        connection.add_query_logger(note)
        await pool.release(connection)
    return note


async def _unlisten(service: Service, note: Callable[[Any], None]) -> None:
    pool = service.runtime.database.pool
    held = [await pool.acquire() for _ in range(pool.get_max_size())]
    for connection in held:
        connection.remove_query_logger(note)
        await pool.release(connection)


async def test_replay(service: Service, client: Client, sent: SentLink) -> None:
    coded = await client.fill(await client.open(f"{client.path}/sign"), "sign", **STATED, do="code")
    form = {**fields_of(coded, f"{client.path}/sign"), "code": code_on(coded), "do": "sign"}

    pages = await asyncio.gather(*(client.send(f"{client.path}/sign", **form) for _ in range(3)))
    again = await client.send(f"{client.path}/sign", **{**form, "name": "Eve"})

    assert all("Thank you: the application is signed." in text_of(page) for page in (*pages, again))
    assert await service.count("signatures") == 1
    assert "Ann Example, President" in text_of(again)
    # Nothing else can be done with it any more, and the code is of no use for another link.
    back = await client.send(f"{client.path}/wrong", status=422, form=form["form"], text="too late")
    assert "The application was signed already." in text_of(back)


async def test_a_code_is_of_no_use_for_another_link(service: Service, client: Client) -> None:
    coded = await client.fill(await client.open(f"{client.path}/sign"), "sign", **STATED, do="code")
    other = Client(service, await link_to(service, await one_quoted(service)))
    page = await other.fill(await other.open(f"{other.path}/sign"), "sign", **STATED, do="code")

    if (code := code_on(coded)) != code_on(page):
        tried = await other.fill(page, "sign", status=422, code=code, do="sign")
        assert "The code is not the code of the last mail." in text_of(tried)
    assert await service.count("signatures") == 0


async def test_forwarding(service: Service, client: Client, sent: SentLink) -> None:
    other = Client(service, sent, address="198.51.100.9")

    page = await other.open(f"{other.path}/sign")
    coded = await other.fill(page, "sign", **{**STATED, "name": "Eve"}, do="code")

    # The code goes to the address of the link, whatever the form says, and nobody can change that.
    assert "whoever has its address can read it" in text_of(page)
    assert f"A code is on its way to {EMAIL}." in text_of(coded)
    assert 'name="email"' not in coded
    written = await service.runtime.database.pool.fetch(
        "select recipients from mails where kind like 'signing_code%'"
    )
    assert [EMAIL in str(row["recipients"]) for row in written] == [True]


async def test_framing(client: Client) -> None:
    answer = await client.http.get(client.path)

    policy = answer.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert "form-action 'self'" in policy
    assert answer.headers["x-frame-options"] == "DENY"


async def test_forged_forms(service: Service, client: Client, sent: SentLink) -> None:
    page = await client.open(client.path)
    token = fields_of(page, f"{client.path}/wrong")["form"]

    without = await client.post(f"{client.path}/wrong", text="Wrong")
    guessed = await client.post(f"{client.path}/wrong", text="Wrong", form="0" * 64)
    elsewhere = await client.http.post(
        f"{client.path}/wrong",
        data={"text": "Wrong", "form": token},
        headers={"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
    )

    assert [answer.status_code for answer in (without, guessed, elsewhere)] == [403] * 3
    assert (await row_of(service, sent))["status"] == "opened"
    # A browser that tells neither origin nor site is believed with the token of the page.
    told = await client.post(f"{client.path}/wrong", text="Wrong", form=token, origin="null")
    assert told.status_code == 303
    assert (await row_of(service, sent))["status"] == "declined"


async def test_opening_by_programs(service: Service, client: Client, sent: SentLink) -> None:
    before = await row_of(service, sent)

    await client.http.head(client.path)
    page = await client.open(client.path)
    for address in links_of(page):
        await client.http.get(address)

    after = await row_of(service, sent)
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"openings", "opened_at", "status"}
    assert after["openings"] == 2
    assert await service.count("signing_codes") == 0


async def test_referrer(client: Client) -> None:
    page = await client.open(client.path)

    assert '<meta name="referrer" content="no-referrer">' in page
    outside = [address for address in re.findall(r'(?:href|src|action)="([^"]*)"', page) if "//" in address]
    assert outside == []
    # Links with the token lead to its own pages.
    assert all(address.startswith("/s/") for address in links_of(page) if client.token in address)


async def test_cache_and_search_engines_on_every_answer(
    service: Service, client: Client, subtests: pytest.Subtests
) -> None:
    (paper,) = [address for address in links_of(await client.open(client.path)) if "quote_letter" in address]
    for name, answer in {
        "page": await client.http.get(client.path),
        "application": await client.http.get(f"{client.path}/sign"),
        "file": await client.http.get(paper),
        "unknown": await client.http.get(f"/s/{'A' * 43}"),
        "no page": await client.http.get(f"{client.path}/nothing"),
        "wrong method": await client.http.get(f"{client.path}/choose"),
        "forged": await client.post(f"{client.path}/choose", option="x"),
        "redirect": await client.http.get(f"{client.path}/"),
    }.items():
        with subtests.test(name):
            assert {header: answer.headers.get(header) for header in HEADERS} == HEADERS
            assert "set-cookie" not in answer.headers


async def test_enumeration(
    service: Service, client: Client, sent: SentLink, subtests: pytest.Subtests
) -> None:
    unknown = await client.http.get(f"/s/{'A' * 43}")
    caller = Caller(partner_id=service.partner.partner_id, actor="broker@example.com")
    first, second = await quoted(service)
    papers = f"{client.path}/paper/{second['quote_identifier']}"

    answers = {
        "too short": await client.http.get("/s/A"),
        "odd letters": await client.http.get(f"/s/{'%C3%BC' * 43}"),
        "another company's paper": await client.http.get(f"{papers}/quote_letter"),
        "a paper that does not exist": await client.http.get(f"{papers}/nothing"),
        "a paper of nothing": await client.http.get(f"{client.path}/paper/x/quote_letter"),
        "nothing signed": await client.http.get(f"{client.path}/signed"),
    }
    await revoke_link(service.runtime.database, caller, sent.link_id)
    answers |= {
        "taken back": await client.http.get(client.path),
        "taken back, to sign": await client.http.get(f"{client.path}/sign"),
    }
    late = Client(service, await link_to(service, first))
    replaced = Client(service, await link_to(service, second))
    await link_to(service, second)
    await service.runtime.database.pool.execute(
        "update client_links set expires_at = created_at where token_sha256 = sha256($1)", late.token.encode()
    )
    answers |= {
        "ended": await late.http.get(late.path),
        "replaced": await replaced.http.get(replaced.path),
    }

    for name, answer in answers.items():
        with subtests.test(name):
            assert answer.status_code == unknown.status_code == 404
            assert answer.text == unknown.text
            assert {*answer.headers} == {*unknown.headers}


async def test_enumeration_by_forms(
    service: Service, client: Client, sent: SentLink, subtests: pytest.Subtests
) -> None:
    """A form that comes too late gets back what was typed, and whatever the link was, nothing else."""
    typed: dict[str, Any] = {"questions.Q2134": "true", "text": "The revenue is wrong.", "name": "Eve"}
    before = await row_of(service, sent)
    caller = Caller(partner_id=service.partner.partner_id, actor="broker@example.com")
    await revoke_link(service.runtime.database, caller, sent.link_id)
    late = Client(service, await link_to(service, await one_quoted(service)))
    await service.runtime.database.pool.execute(
        "update client_links set expires_at = created_at where token_sha256 = sha256($1)", late.token.encode()
    )
    nobody = f"/s/{'A' * 43}"

    for action in ("answers", "wrong", "choose", "sign"):
        answers = {
            name: await client.http.post(
                f"{path}/{action}", data={**typed, "form": form_token(path.removeprefix("/s/"))}
            )
            for name, path in (("guessed", nobody), ("taken back", client.path), ("ended", late.path))
        }
        unknown = answers["guessed"]
        for name, answer in answers.items():
            with subtests.test(action, link=name):
                assert answer.status_code == 404
                assert answer.text == unknown.text
                assert {*answer.headers} == {*unknown.headers}
                assert "You wrote The revenue is wrong." in text_of(answer.text)
                assert "Eve" not in answer.text
    after = await row_of(service, sent)
    assert {name for name in after if after[name] != before[name]} == {"status", "settled_at"}


async def test_a_proposal_shows_its_own_options_alone(service: Service) -> None:
    await set_day(service, DAY)
    first, second, third = await quoted(service, _three_options())
    client = Client(service, await link_to(service, first, second))

    page = await client.open(client.path)
    other = await client.fill(page, "choose", status=422, option=third["quote_identifier"])
    comparison = await client.http.get(f"{client.path}/paper/{first['quote_identifier']}/comparison")

    assert third["quote_identifier"] not in page
    assert "Option 3" not in text_of(page)
    assert "is not one of the options of the proposal" in text_of(other)
    assert comparison.status_code == 404


async def test_papers_go_with_the_offer_that_they_belong_to(service: Service) -> None:
    await set_day(service, DAY)
    first, *_ = await quoted(service)
    client = Client(service, await link_to(service, first))
    letter = f"{client.path}/paper/{first['quote_identifier']}/quote_letter"
    assert (await client.http.get(letter)).status_code == 200

    await service.runtime.database.pool.execute(
        "update quotes set status = 'quote_declined' where quote_id = $1", first["quote_identifier"]
    )

    assert (await client.http.get(letter)).status_code == 404


def _three_options() -> dict[str, Any]:
    body = request_body()
    body["policy"]["quotes"] = [{"aggregate_limit": limit} for limit in (500_000, 1_000_000, 2_000_000)]
    return body


async def test_scripts(client: Client) -> None:
    answer = await client.http.get(client.path)

    assert "<script" not in answer.text
    assert "script-src" not in answer.headers["content-security-policy"]
    assert answer.headers["content-security-policy"].startswith("default-src 'none';")


async def test_logs(
    service: Service, client: Client, sent: SentLink, log_lines: Callable[[], list[dict[str, Any]]]
) -> None:
    page = await client.open(f"{client.path}/sign")
    coded = await client.fill(page, "sign", **STATED, do="code")
    await client.fill(coded, "sign", code=code_on(coded), do="sign")
    await client.http.get(f"{client.path}/nothing/at/all")

    logged = str(log_lines())
    journal = await service.runtime.database.pool.fetch("select data::text from journal")
    events = await service.runtime.database.pool.fetch("select * from events")
    assert "page /s/{token}/sign" in logged
    for text in (logged, str(journal), str(events)):
        assert client.token not in text
        assert code_on(coded) not in text


async def test_terms_that_moved(service: Service, client: Client, subtests: pytest.Subtests) -> None:
    coded = await client.fill(await client.open(f"{client.path}/sign"), "sign", **STATED, do="code")
    form = {**fields_of(coded, f"{client.path}/sign"), "code": code_on(coded), "do": "sign"}

    with subtests.test("re-priced while the client reads: said, nothing signed, nothing lost"):
        moved = await client.send(f"{client.path}/sign", status=409, **{**form, "shown": "9.0"})
        assert "The terms of this offer have changed since the page was opened." in text_of(moved)
        assert fields_of(moved, f"{client.path}/sign")["title"] == "President"
    with subtests.test("withdrawn: said before the button, and there is none"):
        quote = await service.runtime.database.pool.fetchval("select quote_id from client_links")
        person = await sign_in_as(service, Role.BROKER)
        await person.send(f"/quote/{quote}/withdraw", reason="")
        gone = await client.send(f"{client.path}/sign", status=409, **form)
        assert "This offer was withdrawn. Nothing was signed; please ask your broker." in text_of(gone)
        assert "<button" not in gone
        opened = text_of(await client.open(client.path))
        assert "Nothing is asked of you now." in opened
        assert "This offer was withdrawn." in opened
    assert await service.count("signatures") == 0


async def test_terms_that_moved_with_a_bind_or_a_new_version(
    service: Service, subtests: pytest.Subtests
) -> None:
    await set_day(service, DAY)
    bound, changed = await one_quoted(service), await one_quoted(service)
    bound_client = Client(service, await link_to(service, bound))
    changed_client = Client(service, await link_to(service, changed))
    forms = [
        await _form_with_code(bound_client),
        await _form_with_code(changed_client),
    ]
    await bind(service, bound)
    owed = {"type": "post_bind", "text": "A copy of the backup plan"}
    await decide(service, changed, "add_contingency", contingency=owed)

    for client, form, said in zip(
        (bound_client, changed_client),
        forms,
        (
            "The option was bound, or its bind requested, since the page was opened. Nothing was signed yet",
            "The terms of this offer have changed since the page was opened. Nothing was signed",
        ),
        strict=True,
    ):
        with subtests.test(said):
            moved = await client.send(f"{client.path}/sign", status=409, **form)
            assert said in text_of(moved)
            assert fields_of(moved, f"{client.path}/sign")["title"] == "President"
    assert await service.count("signatures") == 0
    with subtests.test("opened again, a binder says by when, and is signed as it is now"):
        assert "The insurance is bound on that condition." in text_of(
            await bound_client.open(bound_client.path)
        )
        assert "Thank you" in text_of(await bound_client.sign())


async def _form_with_code(client: Client) -> dict[str, Any]:
    """Return what the client is about to send who has read the page and got the code."""
    coded = await client.fill(await client.open(f"{client.path}/sign"), "sign", **STATED, do="code")
    return {**fields_of(coded, f"{client.path}/sign"), "code": code_on(coded), "do": "sign"}


def test_the_table_of_attacks_has_a_test_for_every_row() -> None:
    document = (ROOT / "docs" / "signing.md").read_text("utf-8")
    table = document.partition("## Attacks")[2].partition("## What law")[0]
    rows = re.findall(r"^\| ([A-Z][^|]+?) \|", table, re.MULTILINE)[1:]
    tests = [name.removeprefix("test_").replace("_", " ") for name in globals() if name.startswith("test_")]
    elsewhere = {"another broker's link"}

    assert len(rows) == 16
    for row in rows:
        words = row.lower().replace("'", "'")
        assert words in elsewhere or any(words in name for name in tests), row
