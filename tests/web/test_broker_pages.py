"""What a broker does at the platform, without JavaScript."""

import html
import json
import re
import uuid
from datetime import UTC, datetime
from typing import Any

import pytest
from tools.demo_book import EXAMPLES

from bindery.domain.access.users import Role
from bindery.domain.documents.file_types import LARGEST_PAPER
from support.binding import quoted, shown
from support.papers import letter, signed
from support.people import Person, fields_of, links_of, sign_in_as, text_of
from support.service import Service, request_body

LONG_NAME = "<script>alert(1)</script> Zażółć \u05d1\u05d3\u05d9\u05e7\u05d4 " + "x" * 120


def named(name: str) -> dict[str, Any]:
    def change(body: dict[str, Any]) -> None:
        body["client"]["name"] = name

    return request_body(change)


async def test_the_company_page_shows_what_the_api_shows(working_service: Service, broker: Person) -> None:
    receipt = await working_service.submit()
    bodies = [await working_service.ready(quote["quote_identifier"]) for quote in receipt["quotes"]]

    page = text_of(await broker.open(f"/company/{receipt['company_id']}"))

    for body in bodies:
        assert f"${body['aggregate_limit']:,}" in page
        assert f"${body['premium']:,}" in page
        assert f"${body['total']:,.2f}" in page
    assert f"{len(bodies)} options are open until" in page
    assert "A signed and dated application" in page
    assert "were published." in page


async def test_a_name_is_only_ever_text(working_service: Service, broker: Person) -> None:
    quote = await working_service.quote(named(LONG_NAME))

    for path in ("/companies?mine=0", f"/company/{quote['company_id']}"):
        page = await broker.open(path)
        assert "<script>alert" not in page
        assert LONG_NAME in text_of(page.replace("&lt;", "\u2039").replace("&gt;", "\u203a")).replace(
            "\u2039", "<"
        ).replace("\u203a", ">")


async def test_a_company_is_found_by_a_word_its_number_a_quote_and_a_policy(
    working_service: Service, broker: Person
) -> None:
    quote = await working_service.quote(named("Fernhill Lantern Works"))
    company = f"/company/{quote['company_id']}"

    assert company in links_of(await broker.open("/companies?q=lant&mine=0"))
    assert company not in links_of(await broker.open("/companies?q=bakery&mine=0"))
    for words in (quote["company_id"], quote["quote_identifier"]):
        answer = await broker.http.get("/search", params={"q": words})
        assert answer.headers["location"] == company


async def test_a_company_is_found_by_words_between_signs(
    service: Service, broker: Person, subtests: pytest.Subtests
) -> None:
    for name, words in [
        ("<script>alert(1)</script> & Sons", ("script", "alert", "sons", "<script>alert(1)</script> & Sons")),
        ("Smith/Jones Data", ("smith", "jones", "Smith/Jones")),
        ("Route-66 Motors", ("66", "route 66", "Route-66")),
        ("shop.harbor.example Inc.", ("harbor", "shop.harbor")),
        ("Za\u017c\u00f3\u0142\u0107 O'Brien_Co", ("za\u017c\u00f3\u0142\u0107", "o'brien", "co")),
    ]:
        with subtests.test(name):
            (quote, *_) = await quoted(service, named(name))
            company = f"/company/{quote['company_id']}"

            for searched in words:
                listed = await broker.http.get("/companies", params={"mine": "0", "q": searched})
                assert company in links_of(listed.text), searched
            assert company not in links_of(await broker.open("/companies?mine=0&q=bakery"))


async def test_a_list_for_a_spreadsheet_holds_no_formula(working_service: Service, broker: Person) -> None:
    for name in ('=cmd|"/c calc"!A1', "\uff1dcmd", "\uff20sum"):
        await working_service.quote(named(name))

    sheet = await broker.http.get("/companies.csv?mine=0")

    assert sheet.headers["content-type"].startswith("text/csv")
    assert "'=cmd" in sheet.text
    assert "'\uff1dcmd" in sheet.text
    assert "'\uff20sum" in sheet.text
    # Excel takes a file without the mark for one in an older encoding.
    assert sheet.content.startswith(b"\xef\xbb\xbfCompany,")
    assert ",Cyber," in sheet.text


async def test_the_days_of_a_spreadsheet_are_those_of_the_pages(
    working_service: Service, broker: Person
) -> None:
    await working_service.quote()
    late_evening = datetime(2026, 11, 17, 2, 36, tzinfo=UTC)
    await working_service.runtime.database.pool.execute("update companies set created_at = $1", late_evening)

    sheet = (await broker.http.get("/companies.csv?mine=0")).text
    async with await sign_in_as(working_service, Role.BROKER, email="broker@example.com") as own:
        page = text_of(await own.open("/companies"))

    assert "Submitted (EST/EDT)" in sheet
    assert "2026-11-16" in sheet
    assert "2026-11-17" not in sheet
    assert page.partition("Harborlight")[2].partition("50 rows")[0].endswith("Nov 16 ")


async def test_a_bind_without_the_application_is_said_and_done_on_condition(
    working_service: Service, broker: Person
) -> None:
    quote = await working_service.quote()
    path = f"/quote/{quote['quote_identifier']}/bind"
    form = await broker.open(path)

    assert "Binder, due" in text_of(form)
    page = await broker.send(path, **{**fields_of(form, path), "step": "bind"})

    assert "Bound. Binder" in text_of(page)
    assert (await working_service.ready(quote["quote_identifier"]))["binder"]["conditional"] is True


@pytest.mark.usefixtures("real_printing")
async def test_a_broker_uploads_the_signed_application_and_binds_for_good(
    working_service: Service, broker: Person
) -> None:
    quote = await working_service.quote()
    identifier = quote["quote_identifier"]
    application = await broker.http.get(f"/quote/{identifier}/document/application")
    assert application.headers["content-type"] == "application/pdf"
    contingency = quote["contingencies"][0]["contingency_id"]

    path = f"/quote/{identifier}/bind"
    form = {**fields_of(await broker.open(path), path), "contingency_id": contingency, "step": "upload"}
    page = await broker.send(f"{path}/preview", files={"file": ("unsigned.pdf", application.content)}, **form)
    assert "unsigned.pdf: This is our application as we issued it: nobody has signed it." in text_of(page)
    assert '<div class="note-box warn banner" role="alert" tabindex="-1" autofocus' in page
    page = await broker.send(
        f"{path}/preview", files={"file": ("signed.pdf", signed(application.content))}, **form
    )

    assert "signed.pdf: This is the application that was issued with the quote. It is signed." in text_of(
        page
    )
    assert '<div class="note-box good banner" role="status" tabindex="-1" autofocus' in page
    stated = {"app_attestation": ["same", "signed", "unchanged"]}
    preview = await broker.send(path, **{**fields_of(page, path), **stated, "step": "preview"})
    assert "The policy is issued at once" in text_of(preview)
    assert "Bind and issue the policy" in text_of(preview)
    bound = text_of(await broker.send(path, **{**fields_of(preview, path), **stated, "step": "bind"}))
    assert "is issued." in bound
    after = await working_service.ready(identifier)
    assert after["policy_number"] in bound
    assert broker.email in {entry.actor for entry in await working_service.journal(identifier)}


async def test_all_that_is_wrong_with_a_bind_is_said_at_its_field_and_nothing_is_lost(
    working_service: Service, broker: Person
) -> None:
    quote = await working_service.quote()
    path = f"/quote/{quote['quote_identifier']}/bind"
    form = fields_of(await broker.open(path), path)

    page = await broker.send(
        path,
        status=422,
        **{**form, "effective": "2020-01-01", "expiration": "2020-02-01", "email": "nobody", "step": "bind"},
    )

    assert 'value="2020-01-01"' in page
    # Dates as the page writes them, fields by their labels.
    assert "must be from Jul 1, 2020 to Jul 1, 2021, 6 to 18 months after the effective date" in text_of(page)
    assert 'value="nobody"' in page
    # All of it at once: what is wrong with the dates hides nothing of the contact.
    for field in ("effective", "expiration", "email"):
        assert f'<a href="#{field}">' in page
        assert re.search(rf'id="{field}"[^>]*aria-invalid="true"', page)
    assert (await working_service.ready(quote["quote_identifier"]))["quote_status"] == "published"


async def test_a_price_that_was_not_on_the_page_is_not_bound(
    working_service: Service, broker: Person
) -> None:
    quote = await working_service.quote()
    path = f"/quote/{quote['quote_identifier']}/bind"
    form = fields_of(await broker.open(path), path)

    page = await broker.send(path, status=422, **{**form, "shown_premium": "1", "step": "bind"})

    missing = await broker.send(path, status=422, **{**form, "shown_premium": "", "step": "bind"})
    endless = await broker.send(path, status=422, **{**form, "shown_premium": "9" * 5_000, "step": "bind"})

    assert "The premium is now $1,536; the page showed $1." in text_of(page)
    assert "The premium was not on the page; it is now" in text_of(missing)
    assert "must be whole dollars" in text_of(endless)
    assert (await working_service.ready(quote["quote_identifier"]))["quote_status"] == "published"


async def test_a_file_of_another_kind_is_refused_with_a_reason(
    working_service: Service, broker: Person
) -> None:
    quote = await working_service.quote()

    answer = await broker.post(
        f"/quote/{quote['quote_identifier']}/uploads", files={"file": ("a.exe", b"MZ\x90\x00" * 10)}
    )

    assert answer.status_code == 415
    assert "Not uploaded The file must be a PDF, PNG, JPEG, TIFF or DOCX" in text_of(answer.text)
    assert quote["client"]["name"] in answer.text


@pytest.mark.parametrize(
    ("file", "status", "said"),
    [
        (b"%PDF-1.7" + b" " * LARGEST_PAPER, 413, "is too large: the limit is 25 MB, and it was not kept"),
        (b"%PDF-1.7" + b" " * (LARGEST_PAPER + 100_000), 413, "is too large: the limit is 25 MB"),
        (b"MZ\x90\x00", 415, "must be a PDF, PNG, JPEG, TIFF or DOCX by its content"),
        (b"", 422, "must not be empty"),
    ],
    ids=["too large", "much too large", "a program", "empty"],
)
async def test_a_file_that_cannot_be_taken_while_binding_loses_nothing_of_the_form(
    working_service: Service, broker: Person, file: bytes, status: int, said: str
) -> None:
    quote = await working_service.quote()
    path = f"/quote/{quote['quote_identifier']}"
    form = fields_of(await broker.open(f"{path}/bind"), f"{path}/bind")
    typed = {**form, "first_name": "Ottoline", "app_attestation": ["same", "signed"], "step": "bind"}

    # The file with the bind itself, and the fields of a browser, some of which come after the file.
    page = await broker.send(
        f"{path}/bind",
        status=status,
        files=[
            *((name, (None, typed[name])) for name in ("effective", "expiration", "email", "first_name")),
            ("file", ("a.pdf", file)),
            *(("app_attestation", (None, name)) for name in typed["app_attestation"]),
            ("step", (None, "bind")),
        ],
    )

    assert said in text_of(page)
    assert f"<h1>Bind option 1 for {quote['client']['name']}</h1>" in page
    again = fields_of(page, f"{path}/bind")
    assert again["first_name"] == "Ottoline"
    for statement, is_made in (("same", True), ("signed", True), ("unchanged", False)):
        ticked = re.search(rf'name="app_attestation" value="{statement}"[^>]* checked', page)
        assert (ticked is not None) is is_made
    assert (await working_service.ready(quote["quote_identifier"]))["uploads"] == []


async def test_a_file_that_is_taken_while_binding_loses_nothing_of_the_form_either(
    working_service: Service, broker: Person
) -> None:
    quote = await working_service.quote()
    path = f"/quote/{quote['quote_identifier']}"
    form = fields_of(await broker.open(f"{path}/bind"), f"{path}/bind")
    file = {"file": ("note.pdf", letter("A note"))}

    typed = {**form, "first_name": "Ottoline", "contingency_id": "", "step": "upload"}
    page = await broker.send(f"{path}/bind/preview", files=file, **typed)
    # Once more, as when somebody presses twice: it is one file.
    await broker.send(f"{path}/bind/preview", files=file, **typed)

    assert "note.pdf: The file is kept." in text_of(page)
    assert len((await working_service.ready(quote["quote_identifier"]))["uploads"]) == 1
    assert fields_of(page, f"{path}/bind")["first_name"] == "Ottoline"


async def test_what_came_in_is_sent_back_to_be_saved_and_never_shown(
    working_service: Service, broker: Person
) -> None:
    quote = await working_service.quote()
    identifier = quote["quote_identifier"]
    await broker.send(f"/quote/{identifier}/uploads", files={"file": ("note.pdf", letter("A note"))})
    upload = (await working_service.ready(identifier))["uploads"][0]["document_id"]

    answer = await broker.http.get(f"/quote/{identifier}/upload/{upload}")

    assert answer.content == letter("A note")
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["content-security-policy"] == "sandbox"


async def test_a_renewal_is_paused_and_resumed(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    identifier = policy["quote_identifier"]

    paused = text_of(await broker.send(f"/policy/{identifier}/renewal", renewal="pause"))
    assert "does not renew by itself" in paused
    assert (await shown(service, identifier))["renewal"]["type"] == "manual"
    resumed = text_of(await broker.send(f"/policy/{identifier}/renewal", renewal="resume"))
    assert "renews by itself again" in resumed
    assert (await shown(service, identifier))["renewal"]["type"] == "auto"
    told = [entry.type for entry in await service.journal(identifier) if entry.type]
    about_renewal = [name for name in told if name.startswith("policy.renewal_")]
    assert about_renewal == ["policy.renewal_paused", "policy.renewal_resumed"]


async def test_policies_are_listed_by_when_they_end(policy: dict[str, Any], broker: Person) -> None:
    name, ends = policy["client"]["name"], policy["dates"]["expiration"]

    assert "No policy expires by" in await broker.open("/renewals?days=30&mine=0")
    assert name in await broker.open("/renewals?days=400&mine=0")
    assert name in await broker.open(f"/renewals?until={ends}&mine=0")
    assert "No policy expires by" in await broker.open("/renewals?until=2000-01-01&mine=0")


async def test_the_address_of_the_print_sheet_leads_to_the_comparison(
    working_service: Service, broker: Person
) -> None:
    def referred(body: dict[str, Any]) -> None:
        body["client"]["domains"] = ["red-flags.example.com"]

    quote = await working_service.quote()
    without_price = await working_service.quote(request_body(referred))

    found = await broker.http.get(f"/company/{quote['company_id']}/compare?o=1,2")
    none_yet = text_of(await broker.open(f"/company/{without_price['company_id']}/compare"))

    assert re.fullmatch(r"/quote/[0-9a-f-]+/document/comparison", found.headers["location"])
    comparison = await broker.http.get(found.headers["location"])
    assert comparison.headers["content-type"] == "application/pdf"
    assert "There is no comparison yet: it comes with the first option that has a price." in none_yet


async def test_a_company_page_says_which_documents_will_come_and_how_long_a_binder_has(
    working_service: Service, broker: Person
) -> None:
    quote = await working_service.quote()
    company, path = f"/company/{quote['company_id']}", f"/quote/{quote['quote_identifier']}/bind"
    page = text_of(await broker.open(company))
    assert "security letter come with the bind, the policy when it is issued." in page
    assert "An underwriter looks at what was sent and closes it" in page

    await broker.send(path, **{**fields_of(await broker.open(path), path), "step": "bind"})

    page = text_of(await broker.open(company))
    assert "Send a signed and dated application within 30 days, or it lapses." in page
    assert "30 days left" in page
    assert "The policy comes when everything open is closed." in page


async def test_a_correction_is_said_in_the_cell_that_it_corrects(
    working_service: Service, broker: Person, underwriter: Person
) -> None:
    body = json.loads((EXAMPLES / "mpl.json").read_text("utf-8"))
    body["client"].update(revenue=2_500_000, shoe_size=44)
    body["policy"]["quotes"] = [{**body["policy"]["quotes"][0], "per_claim_retention": 500}]
    quote = await working_service.quote(body)
    (raised,) = [
        correction for correction in quote["corrections"] if correction["field"] == "per_claim_retention"
    ]
    (ignored,) = [
        correction for correction in quote["corrections"] if correction["field"] == "client.shoe_size"
    ]

    page = html.unescape(await broker.open(f"/company/{quote['company_id']}"))

    cell = re.search(r'<th scope="row">Per-claim retention</th>\s*<td[^>]*>(.*?)</td>', page, re.DOTALL)
    assert cell is not None
    assert text_of(cell.group(1)) == f"${raised['given']:,} {raised['text']}"
    assert page.count(raised["text"]) == 1
    assert f"Not used as sent {ignored['text']}" in text_of(page)
    case = text_of(await underwriter.open(f"/desk/case/{await _submission_of(working_service, quote)}"))
    assert case.count(raised["text"]) == 1


async def _submission_of(service: Service, quote: dict[str, Any]) -> uuid.UUID:
    found: uuid.UUID = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )
    return found
