"""Certificates for holders on the platform: one by a form, many by a CSV, those issued with their files."""

import asyncio
import csv
import io
import re
import uuid
import zipfile
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from bindery.domain.access.users import Role
from support.binding import DAY, bind, decide, one_quoted, set_day, shown, told
from support.people import Person, fields_of, sign_in_as, text_of
from support.service import Service

pytestmark = pytest.mark.usefixtures("plain_printing")

HOLDER: dict[str, Any] = {
    "name": "First Harbor Bank, N.A.",
    "street": "12 Wharf Street",
    "city": "Boston",
    "zip": "02110",
    "wording": "lender",
    "description": "Loan 7",
}
HEAD = "name,street,street2,city,state,zip,wording,description"
THREE = f"""{HEAD}
Pier LLC,4 Pier Road,Unit 7,Salem,MA,01970,lease,
"Café “Ørsted”, Inc.",9 Main Street,,Boston,,02110,,Catering 2027
=HYPERLINK("http://x"),1 Main Street,,Boston,,02110,evidence,+1
"""


def page_of(policy: dict[str, Any]) -> str:
    return f"/policy/{policy['quote_identifier']}/certificates"


def upload(content: str | bytes, name: str = "holders.csv") -> dict[str, Any]:
    raw = content.encode() if isinstance(content, str) else content
    return {"file": (name, raw, "text/csv")}


async def issued(service: Service, table: str = "certificates") -> int:
    found: int = await service.runtime.database.pool.fetchval(f"select count(*) from {table}")
    return found


async def steps(service: Service, policy: dict[str, Any]) -> list[str]:
    rows = await service.runtime.database.pool.fetch(
        "select trigger from journal where quote_id = $1 order by entry",
        uuid.UUID(policy["quote_identifier"]),
    )
    return [row["trigger"] for row in rows]


@pytest.fixture
async def stranger(service: Service) -> AsyncIterator[Person]:
    """A broker of another partner."""
    await service.new_partner("another partner", "eve@other.example")
    async with await sign_in_as(service, Role.BROKER, partner="another partner") as signed_in:
        yield signed_in


async def test_a_certificate_is_issued_listed_and_read(
    service: Service, policy: dict[str, Any], broker: Person, underwriter: Person
) -> None:
    path, company = page_of(policy), f"/company/{policy['company_id']}"
    number = f"C-{policy['policy_number']}-0001"
    assert "Certificate for a holder" in text_of(await broker.open(company))
    assert "Certificates for holders" not in text_of(await underwriter.open(company))
    empty = await broker.open(path)

    done = await broker.send(f"{path}/one", **HOLDER)

    assert "No certificate was issued for a holder yet." in text_of(empty)
    assert f"Certificate {number} is issued to First Harbor Bank, N.A." in text_of(done)
    listed = text_of(done).partition("Issued")[2]
    assert "1 First Harbor Bank, N.A. Loan 7 12 Wharf Street, Boston, MA 02110 Lender or mortgagee" in listed
    assert f"Lender or mortgagee Mar 1, 12:00 PM {broker.email}" in listed
    assert number in done.partition("Certificates issued")[2]
    history = text_of(await broker.open(company))
    assert "A certificate was issued to First Harbor Bank, N.A." in history
    # The broker is told; partners are not, and the policy is as it was.
    assert (await shown(service, policy["quote_identifier"]))["quote_status"] == "policy_active"
    assert not any("certificate" in kind for kind in await told(service, policy["quote_identifier"]))
    pdf = await broker.http.get(f"{path}/1")
    assert (pdf.status_code, pdf.headers["content-type"]) == (200, "application/pdf")
    assert pdf.headers["content-disposition"] == f'inline; filename="{number}_First-Harbor-Bank-N-A.pdf"'
    assert (await broker.http.get(f"{path}/1")).content == pdf.content
    # Underwriters look at the same book, and issue nothing.
    assert "Certificates for holders" in text_of(await underwriter.open(company))
    looked = await underwriter.open(path)
    assert "First Harbor Bank" in looked
    assert "<form" not in looked.partition("<main")[2].partition("</main>")[0]
    assert (await underwriter.http.get(f"{path}/1")).content == pdf.content
    assert (await underwriter.post(f"{path}/one", **HOLDER)).status_code == 404


async def test_the_same_certificate_asked_for_again_is_issued_once(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    path = page_of(policy)

    answers = await asyncio.gather(*(broker.post(f"{path}/one", **HOLDER) for _ in range(3)))
    again = text_of(await broker.send(f"{path}/one", **HOLDER))

    assert {answer.status_code for answer in answers} == {303}
    assert await issued(service) == 1
    assert (await steps(service, policy)).count("issue_certificates") == 1
    assert f"This certificate was issued before, Mar 1, 12:00 PM by {broker.email}: C-" in again
    assert "Nothing more was issued." in again
    # Another wording, and another day, are other papers.
    await broker.send(f"{path}/one", **{**HOLDER, "wording": "evidence"})
    await set_day(service, DAY.replace(day=2))
    await broker.send(f"{path}/one", **HOLDER)
    assert await issued(service) == 3
    assert "-0003" in await broker.open(path)


async def test_what_is_wrong_with_a_holder_is_said_at_its_fields_and_nothing_is_lost(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    path = page_of(policy)
    wrong = {**HOLDER, "name": "", "zip": "2110", "state": "Ontario", "wording": "free", "city": "<b>Bos</b>"}

    page = await broker.send(f"{path}/one", status=422, **wrong)

    said = text_of(page)
    assert "Nothing was issued Holder is required." in said
    assert "ZIP code must be a US postal code such as 19107 or 19107-3615; its first zero" in said
    assert "State must be one of the 50 states or DC, by full name or two letters." in said
    assert "Wording must be one of evidence, contract, lease, lender, interest." in said
    assert fields_of(page, f"{path}/one")["description"] == "Loan 7"
    assert "<b>Bos</b>" not in page
    assert "&lt;b&gt;Bos&lt;/b&gt;" in page
    assert page.count('aria-invalid="true"') == 4
    promising = await broker.send(f"{path}/one", status=422, **HOLDER | {"description": "Additional insured"})
    assert "Project or contract must name the project or contract" in text_of(promising)
    assert (await issued(service), await issued(service, "certificate_issues")) == (0, 0)
    assert "issue_certificates" not in await steps(service, policy)


async def test_many_are_issued_from_one_file_and_sent_as_one(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    path = page_of(policy)

    done = await broker.send(f"{path}/many", files=upload(f"\ufeff{THREE}"), wording="contract")
    again = await broker.send(f"{path}/many", files=upload(THREE, "copy.csv"), wording="contract")

    first, last = (f"C-{policy['policy_number']}-000{number}" for number in (1, 3))
    assert f"3 certificates are issued: {first} to {last}." in text_of(done)
    assert "These 3 certificates were issued before" in text_of(again)
    assert await issued(service) == 3
    listed = text_of(done)
    assert listed.index("=HYPERLINK") < listed.index("Ørsted") < listed.index("Pier LLC")
    assert "A contract requires insurance" in listed.partition("Ørsted")[2]
    assert done.count("All 3 (ZIP)") == 1
    history = text_of(await broker.open(f"/company/{policy['company_id']}"))
    assert (
        '3 certificates were issued to Pier LLC, Café “Ørsted”, Inc. and =HYPERLINK("http://x").' in history
    )

    archive = await _zip(broker, path, done)

    names = archive.namelist()
    assert names == [
        f"{first}_Pier-LLC.pdf",
        f"{first[:-1]}2_Cafe-Orsted-Inc.pdf",
        f"{last}_HYPERLINK-http-x.pdf",
    ]
    assert [archive.read(name) for name in names] == [
        (await broker.http.get(f"{path}/{number}")).content for number in (1, 2, 3)
    ]
    assert len({archive.read(name) for name in names}) == 3


async def _zip(person: Person, path: str, page: str) -> zipfile.ZipFile:
    sent = await person.http.get(f"{path}/{page.partition('.zip')[0].rpartition('/')[2]}.zip")
    assert (sent.status_code, sent.headers["content-type"]) == (200, "application/zip")
    return zipfile.ZipFile(io.BytesIO(sent.content))


async def test_those_issued_are_a_list_for_the_next_policy_that_runs_no_formula(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    path = page_of(policy)
    await broker.send(f"{path}/many", files=upload(THREE), wording="contract")

    sent = await broker.http.get(f"{path}.csv")
    template = await broker.http.get(f"{path}/template.csv")

    rows = list(csv.DictReader(io.StringIO(sent.text.removeprefix("\ufeff"))))
    assert rows[0]["name"] == '\'=HYPERLINK("http://x")'
    assert [row["description"] for row in rows] == ["'+1", "Catering 2027", ""]
    assert rows[-1]["number"] == f"C-{policy['policy_number']}-0001"
    assert (rows[-1]["zip"], rows[-1]["state"], rows[-1]["issued_on"]) == ("01970", "MA", "2027-03-01")
    assert template.text == f"\ufeff{HEAD}\r\n"
    assert "certificate-holders.csv" in template.headers["content-disposition"]
    # The list is read again as it is.
    done = await broker.send(f"{path}/many", files=upload(sent.content), wording="evidence")
    assert "3 certificates are issued:" in text_of(done)


async def test_a_file_that_is_not_right_issues_nothing(
    service: Service, policy: dict[str, Any], broker: Person, subtests: pytest.Subtests
) -> None:
    path = f"{page_of(policy)}/many"
    for name, content, says in (
        ("zip", THREE.replace("01970", "1970").replace("Boston", ""), "Row 2, zip must be a US postal code"),
        (
            "twice",
            f"{THREE}Pier LLC,4 pier road,UNIT 7,Salem,MA,01970,lease,\n",
            "Row 5 is the same as row 2",
        ),
        ("bytes", b"\xff\xfe\x00", "The file is not UTF-8 text"),
        ("empty", b"", "The file must not be empty."),
        ("large", b"x" * (512 * 1024 + 1), "The file is too large: the limit is 512 KB."),
        ("lines", f"{HEAD}\n" + "\n" * 300_000, "The file has no holders"),
    ):
        with subtests.test(name):
            page = await broker.send(path, status=422, files=upload(content), wording="lease")

            assert says in text_of(page)
            assert fields_of(page, path)["wording"] == "lease"
    assert await issued(service) == await issued(service, "certificate_issues") == 0
    assert "issue_certificates" not in await steps(service, policy)
    # Of an endless number of flaws the page lists those that somebody reads.
    rows = [f"Holder {place},,,,,1,," for place in range(100)]
    page = await broker.send(path, status=422, files=upload("\n".join([HEAD, *rows])), wording="lease")
    assert "200 more are not listed." in text_of(page)


async def test_a_form_without_a_file_says_so(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    path = f"{page_of(policy)}/many"

    unchosen = await broker.send(path, status=422, files={"file": ("", b"")}, wording="lease")
    no_form = await broker.post(path, wording="lease")

    assert "The file is required." in text_of(unchosen)
    assert no_form.status_code == 415
    assert await issued(service) == 0


async def test_brokers_of_other_partners_find_nothing(
    service: Service, policy: dict[str, Any], broker: Person, stranger: Person, operator: Person
) -> None:
    path = page_of(policy)
    done = await broker.send(f"{path}/many", files=upload(THREE), wording="evidence")
    archive = done.partition(".zip")[0].rpartition("/")[2]

    for person in (stranger, operator):
        for address in (path, f"{path}.csv", f"{path}/1", f"{path}/template.csv", f"{path}/{archive}.zip"):
            assert (await person.http.get(address)).status_code == 404, address
        assert (await person.post(f"{path}/one", **HOLDER)).status_code == 404
        assert (await person.post(f"{path}/many", files=upload(THREE))).status_code == 404
    assert await issued(service) == 3


async def test_certificates_that_are_not_there_are_not_found(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    path = page_of(policy)
    await broker.send(f"{path}/one", **HOLDER)

    for address in (
        f"{path}/2",
        f"{path}/0",
        f"{path}/-1",
        f"{path}/{'9' * 40}",
        f"{path}/x.zip",
        f"{path}/{uuid.uuid4()}.zip",
        f"/policy/{uuid.uuid4()}/certificates",
        "/policy/x/certificates",
    ):
        assert (await broker.http.get(address)).status_code == 404, address
    assert (await broker.http.get(f"{path}?after=zzz")).status_code == 200


async def test_a_canceled_policy_gets_no_more_certificates_and_keeps_those_it_has(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    path = page_of(policy)
    await broker.send(f"{path}/one", **HOLDER)
    before = (await broker.http.get(f"{path}/1")).content
    await decide(service, policy, "cancel", text="Sold the firm")

    one = await broker.send(f"{path}/one", status=409, **{**HOLDER, "name": "Late Bank"})
    many = await broker.send(f"{path}/many", status=409, files=upload(THREE))
    opened = await broker.open(path)

    for page in (one, many, opened):
        assert f"Policy {policy['policy_number']} is canceled, so no certificate can be issued" in text_of(
            page
        )
        assert "<form" not in page.partition("<main")[2].partition("</main>")[0]
    assert await issued(service) == 1
    assert (await broker.http.get(f"{path}/1")).content == before
    company = await broker.open(f"/company/{policy['company_id']}")
    assert "Certificates for holders" in text_of(company)
    assert "Certificate for a holder" not in text_of(company)


async def test_a_binder_and_a_quote_have_no_certificates_for_holders(
    service: Service, broker: Person
) -> None:
    await set_day(service, DAY)
    quote = await one_quoted(service)
    path = page_of(quote)
    unbound = await broker.open(path, status=409)
    await bind(service, quote)

    refused = await broker.send(f"{path}/one", status=409, **HOLDER)

    assert "this quote is not bound" in text_of(unbound)
    assert "This is a binder: its policy is issued when everything that is owed" in text_of(refused)
    assert "Certificate for a holder" not in text_of(await broker.open(f"/company/{quote['company_id']}"))
    assert await issued(service) == 0


async def test_a_lost_file_is_made_again_as_it_was(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    path = page_of(policy)
    await broker.send(f"{path}/one", **HOLDER)
    before = await broker.http.get(f"{path}/1")
    kept = await service.runtime.database.pool.fetchval("select sha256 from certificates")
    (file,) = service.runtime.settings.data_dir.rglob(f"*{kept[4:]}*")
    file.unlink()

    again = await broker.http.get(f"{path}/1")

    assert (again.status_code, again.content) == (200, before.content)
    assert file.exists()


async def test_what_was_issued_cannot_be_changed(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    await broker.send(f"{page_of(policy)}/one", **HOLDER)
    await broker.http.get(f"{page_of(policy)}/1")

    for statement in (
        "update certificates set name = 'Other'",
        "update certificates set sha256 = null",
        "delete from certificates",
        "update certificate_issues set facts = '{}'",
        "delete from certificate_issues",
    ):
        with pytest.raises(asyncpg.RaiseError, match="certificates are append-only"):
            await service.runtime.database.pool.execute(statement)


async def test_a_long_list_is_read_page_by_page(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    path = page_of(policy)
    rows = [f"Holder {place:03d},{place} Main Street,,Boston,,02110,," for place in range(1, 121)]
    first = await broker.send(f"{path}/many", files=upload("\n".join([HEAD, *rows])), wording="evidence")

    second = await broker.open(f"{path}?after=71")
    back = await broker.open(f"{path}?before=70")

    assert _holders(first) == [*range(120, 70, -1)]
    assert _holders(second) == [*range(70, 20, -1)]
    assert _holders(back) == [*range(120, 70, -1)]
    assert "120 certificates were issued to Holder 001, Holder 002, Holder 003 and 117 others." in text_of(
        await broker.open(f"/company/{policy['company_id']}")
    )


def _holders(page: str) -> list[int]:
    return [int(number) for number in re.findall(r"Holder (\d{3})</a>", page)]
