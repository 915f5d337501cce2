"""Names that are as long as they may be, written from the right, and not the one that was expected."""

import html
import uuid

import msgspec
import pytest

from bindery.actions.submission.process_submission import process_submission
from support.binding import DAY, set_day, shown
from support.drafts import drop
from support.intake import changed
from support.links import STATED, Client, link_to
from support.people import Person, fields_of, text_of
from support.service import Service

pytestmark = pytest.mark.usefixtures("plain_printing")

COMPANY = ("מגדלור השיש & " * 20)[:254].strip() + "!"
SIGNER = ("أحمد بن خالد " * 20)[:254].strip() + "!"


async def test_a_long_name_from_the_right_goes_from_the_draft_to_the_signature(
    service: Service, broker: Person, subtests: pytest.Subtests
) -> None:
    await set_day(service, DAY)
    place = await drop(broker, msgspec.json.encode(changed(("client.name", COMPANY))))

    for page in (
        f"{place}/company",
        f"{place}/questions",
        f"{place}/options",
        f"{place}/review",
        "/drafts",
        "/",
    ):
        with subtests.test(page.rpartition("/")[2] or "today"):
            assert html.escape(COMPANY) in await broker.open(page)
    sent = await broker.post(f"{place}/review", go="send")
    pool = service.runtime.database.pool
    await process_submission(service.runtime, await pool.fetchval("select submission_id from submissions"))
    quote_id = str(await pool.fetchval("select quote_id from quotes order by option_number limit 1"))
    quote = await shown(service, quote_id)
    client = Client(service, await link_to(service, quote, name="Ann Example"))

    with subtests.test("the company and the client's pages"):
        for text in (
            await broker.open(sent.headers["location"]),
            await client.open(client.path),
            await client.open(f"{client.path}/sign"),
        ):
            assert COMPANY in text_of(text)
    with subtests.test("a signer who is not the contact is taken and recorded"):
        done = text_of(await client.sign(name=SIGNER, title="Treasurer"))
        assert f"{SIGNER}, Treasurer" in done
        assert await pool.fetchval("select name from signatures") == SIGNER
        assert (await pool.fetchval("select name from client_links")) == "Ann Example"
    with subtests.test("one character more is refused, and what was typed stays"):
        other = Client(
            service, await link_to(service, await shown(service, await _second(service, quote_id)))
        )
        page = await other.open(f"{other.path}/sign")
        refused = await other.fill(page, "sign", status=422, **{**STATED, "name": SIGNER + "?"}, do="code")
        assert "Your name must have at most 255 characters." in text_of(refused)
        assert fields_of(refused, f"{other.path}/sign")["title"] == "President"


async def _second(service: Service, first: str) -> str:
    return str(
        await service.runtime.database.pool.fetchval(
            "select quote_id from quotes where quote_id <> $1", uuid.UUID(first)
        )
    )
