"""The pages that a client opens by a link: options to choose from, the application, the signature."""

import re

import pypdfium2
import pytest

from bindery.actions.documents.find_seal_key import find_seal_key
from bindery.documents.seal import verify_seal
from support.binding import DAY, bind, quoted, set_day, shown
from support.links import Client, code_on, link_to
from support.people import fields_of, text_of
from support.service import Service


async def test_a_proposal_is_read_chosen_signed_and_kept(
    service: Service, real_printing: None, subtests: pytest.Subtests
) -> None:
    await set_day(service, DAY)
    first, second, *_ = await quoted(service)
    link = await link_to(service, second, first, name="Ann Example", message="Take the second.\nBest, Pat")
    client = Client(service, link)

    page = await client.open(client.path)

    with subtests.test("it says who sends it, for whom, and what is recommended"):
        said = text_of(page)
        assert "Cyber Insurance for Harborlight Bakery LLC" in said
        assert "2 options for you: choose one, then sign its application." in said
        assert "Take the second. Best, Pat" in said
        assert "Option 2 Recommended" in said
        assert "Option 1 Recommended" not in said
        for quote in (first, second):
            assert f"${quote['total']:,.2f}" in said
        assert "All 25 coverages" in said
    with subtests.test("nothing can be signed before one is chosen"):
        answer = await client.http.get(f"{client.path}/sign")
        assert (answer.status_code, answer.headers["location"]) == (303, client.path)

    chosen = await client.fill(page, "choose", option=first["quote_identifier"])

    with subtests.test("the application is on the page as it was answered"):
        said = text_of(chosen)
        assert f"For Harborlight Bakery LLC, option 1: ${first['total']:,.2f}." in said
        for words in ("The application as it was answered", "1200 Market Street, Philadelphia, PA 19107"):
            assert words in said
        assert "Fraud warning" in said
        assert 'name="code"' not in chosen
        assert "checked" not in chosen
        assert re.search(
            "Option 1 Your choice .* Option 2 Recommended", text_of(await client.open(client.path))
        ), "the recommended one stays marked"

    coded = await client.fill(
        chosen,
        "sign",
        name="Ann Example",
        title="President",
        is_authorized="yes",
        has_consented="yes",
        do="code",
    )
    wrong = await client.fill(coded, "sign", status=422, code="000000", do="sign")

    with subtests.test("a wrong code is said, and nothing typed is lost"):
        assert "The code is not the code of the last mail." in text_of(wrong)
        assert fields_of(wrong, f"{client.path}/sign")["title"] == "President"

    done = await client.fill(coded, "sign", code=code_on(coded), do="sign")

    with subtests.test("the signed copy is there, and read as signed"):
        assert "Thank you: the application is signed." in text_of(done)
        assert "Ann Example, President" in text_of(done)
        copy = await client.http.get(f"{client.path}/signed")
        assert copy.headers["content-type"] == "application/pdf"
        pdf = pypdfium2.PdfDocument(copy.content)
        last = pdf[len(pdf) - 1].get_textpage().get_text_range()
        assert "Certificate of electronic signature" in last
        assert "203.0.113.7" in last
        (upload,) = (await shown(service, first["quote_identifier"]))["uploads"]
        assert (upload["finding"], upload["signature"]) == ("matched", "found")
    with subtests.test("the copy is sealed, and a change of it shows"):
        trusted = (await find_seal_key(service.runtime)).certificates
        assert verify_seal(copy.content, trusted).flaws == ()
        assert verify_seal(copy.content + b"\n% and more", trusted).flaws
    with subtests.test("the bind issues at once"):
        assert not (await bind(service, first, app_attestation=True))["binder"]["conditional"]
        assert "is issued." in text_of(await client.open(client.path))
