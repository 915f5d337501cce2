"""A broker-of-record block on a draft, the letter against it, and the underwriter who decides."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import pytest_asyncio

from bindery.actions.access.add_partner import add_partner
from bindery.domain.access.users import Role
from bindery.settings import Environment
from support.drafts import drop, start
from support.intake import changed
from support.people import Person, sign_in_as, text_of
from support.service import Service, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")
LETTER = b"%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer<<>>\n%%EOF\n"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pat(office: Service) -> AsyncIterator[Person]:
    async with await sign_in_as(office, Role.BROKER) as signed_in:
        yield signed_in


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def uma(office: Service) -> AsyncIterator[Person]:
    async with await sign_in_as(office, Role.UNDERWRITER) as signed_in:
        yield signed_in


async def blocked(pat: Person, name: str) -> str:
    """Start a draft that is blocked, with an address of its own."""
    body = changed(("client.name", f"{name} (bor)"), ("client.address.street", f"{len(name)} {name} Street"))
    return await drop(pat, msgspec.json.encode(body))


async def send(pat: Person, place: str, content: bytes = LETTER, *, status: int = 200) -> str:
    page = await pat.send(f"{place}/letter", status=status, files={"file": ("Letter.pdf", content)})
    return text_of(page)


def waiting(page: str, name: str) -> str:
    """Return the address of the form that decides on the letter of a company."""
    found = re.search(rf'>{re.escape(name)}.*?action="(/desk/letters/[^"]+)"', page, re.DOTALL)
    assert found is not None, text_of(page)
    return found[1]


async def test_a_letter_is_uploaded_accepted_and_lifts_the_block(
    office: Service, pat: Person, uma: Person
) -> None:
    place = await blocked(pat, "Lifted LLC")
    company = await pat.open(f"{place}/company")
    onward = await pat.post(f"{place}/company", marks="", go="letter")
    again = [await send(pat, place) for _ in range(2)]
    desk = await uma.open("/desk")
    letters = await uma.open("/desk/letters")
    decides = waiting(letters, "Lifted LLC")
    file = await uma.http.get(f"{decides}/file")

    both = await asyncio.gather(*(uma.post(decides, decision="accept", reason="") for _ in range(2)))
    late = text_of(await uma.send(decides, decision="reject", reason="Too late."))
    review = text_of(await pat.open(f"{place}/review"))
    sent = await pat.post(f"{place}/review", go="send")

    assert "Upload the letter" in text_of(company)
    assert onward.headers["location"] == f"{place}/letter"
    assert all("Letter.pdf is with an underwriter." in words for words in again)
    assert "Broker-of-record letters 1" in text_of(desk)
    assert len(re.findall("Lifted LLC", text_of(letters))) == 1
    assert (file.content, file.headers["content-security-policy"]) == (LETTER, "sandbox")
    assert file.headers["content-disposition"].startswith("attachment; ")
    assert [answer.status_code for answer in both] == [303, 303]
    assert "the letter was accepted before by" in late
    assert "to fix before this can be sent" not in review
    assert sent.headers["location"].startswith("/company/")
    mails = await office.runtime.database.pool.fetch(
        "select recipients, subject from mails where kind like 'record_letter_%'"
    )
    assert [tuple(mail["recipients"]) for mail in mails] == [(pat.email,)]
    assert "This quote was sent before" in await send(pat, place)


async def test_a_rejected_letter_says_why_and_another_one_takes_its_place(
    office: Service, pat: Person, uma: Person
) -> None:
    place = await blocked(pat, "Refused LLC")
    await send(pat, place)
    await send(pat, place, LETTER + b"% another")
    decides = waiting(await uma.open("/desk/letters"), "Refused LLC")

    empty = text_of(await uma.send(decides, status=422, decision="reject", reason=""))
    done = text_of(await uma.send(decides, decision="reject", reason="It is not signed."))

    assert "is required: the broker reads it" in empty
    assert "the letter is rejected" in done
    assert "was not accepted: It is not signed." in text_of(await pat.open(f"{place}/company"))
    assert "was not accepted: It is not signed." in text_of(await pat.open(f"{place}/letter"))
    found = await office.runtime.database.pool.fetch(
        "select decision from record_letters where insured like 'Refused%' order by uploaded_at"
    )
    assert [row["decision"] for row in found] == ["replaced", "rejected"]
    assert "is with an underwriter" in await send(pat, place)


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"MZ not a letter", "The file must be a PDF"), (b"", "The file")],
)
async def test_a_file_that_is_no_letter_is_refused_and_kept_nowhere(
    office: Service, pat: Person, content: bytes, said: str
) -> None:
    place = await blocked(pat, "Hostile LLC")

    assert said in await send(pat, place, content, status=422)
    assert await office.count("record_letters where insured like 'Hostile%'") == 0


async def test_without_a_block_no_letter_is_needed_or_taken(pat: Person) -> None:
    place = await start(pat)

    assert "no letter is needed" in text_of(await pat.open(f"{place}/letter"))
    assert "No letter is needed" in await send(pat, place, status=422)


async def test_letters_are_for_underwriters_and_drafts_for_their_partner(
    office: Service, pat: Person, uma: Person
) -> None:
    place = await blocked(pat, "Private LLC")
    await send(pat, place)
    decides = waiting(await uma.open("/desk/letters"), "Private LLC")
    await add_partner(office.runtime.database, "Other", contact=None, may_exist=True)
    async with await sign_in_as(office, Role.BROKER, partner="Other") as stranger:
        refused = [
            await stranger.http.get(f"{place}/letter"),
            await stranger.post(f"{place}/letter", files={"file": ("Letter.pdf", LETTER)}),
            await stranger.http.get(f"{decides}/file"),
            await pat.post(decides, decision="accept"),
        ]

    assert [answer.status_code for answer in refused] == [404, 404, 404, 404]
    assert "Accept the letter, or reject it." in await uma.send(decides, status=422, decision="burn")
    nobody = "/desk/letters/00000000-0000-0000-0000-000000000000"
    assert (await uma.post(nobody, decision="accept")).status_code == 404
    assert (await uma.http.get(f"{nobody}/file")).status_code == 404


async def test_in_production_an_accepted_letter_lets_the_partner_submit(dsn: str, tmp_path: Path) -> None:
    shared: dict[str, Any] = changed(("client.domains", ["harborlight-bakery.com"]))
    async with serving(
        dsn, tmp_path, environment=Environment.PRODUCTION, base_url="https://api.bindery.example/v2"
    ) as office:
        await office.submit(shared)
        pool = office.runtime.database.pool
        await add_partner(office.runtime.database, "Before", contact=None, may_exist=True)
        # As if another partner had submitted it.
        await pool.execute(
            "update clearance_keys set partner_id = (select partner_id from partners where name = 'Before')"
        )
        refused = await office.post("/v2/quotes", shared)
        await pool.execute(
            """
            insert into record_letters (letter_id, partner_id, draft_id, insured, key_kinds, key_values, name,
                content_type, size, sha256, uploaded_at, uploaded_by, decision, decided_at, decided_by)
            select gen_random_uuid(), $1, gen_random_uuid(), 'Harborlight', array_agg(kind), array_agg(value),
                   'l', 'application/pdf', 1, '', now(), 'pat', 'accepted', now(), 'uma' from clearance_keys
            """,
            office.partner.partner_id,
        )
        taken = await office.post("/v2/quotes", shared)

    assert refused.json()["code"] == "broker_of_record_block"
    assert taken.status_code == 200, taken.text
