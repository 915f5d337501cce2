"""Which of the files that came in for something still asks for something."""

import re
from typing import Any

from support.binding import PHOTO, one_quoted, shown
from support.people import Person, text_of
from support.service import Service
from support.uploads import send_file

DAMAGED = b"%PDF-1.7 and nothing more"


def colors_of(page: str) -> dict[str, str]:
    """Return each file of the checklist with the class of its line."""
    line = r'<p class="(late|quiet)"><a href="/quote/[^"]*/upload/[^"]*">([^<]*)</a>'
    return {name: color for color, name in re.findall(line, page)}


async def sent_in(service: Service, quote: dict[str, Any], name: str, content: bytes) -> None:
    (signature,) = quote["contingencies"]
    fields = {"quote_identifier": quote["quote_identifier"], "contingency": signature["contingency_id"]}
    kind = "image/png" if content is PHOTO else "application/pdf"
    answer = await send_file(service, fields, content, filename=name, content_type=kind)
    assert answer.status_code == 200, answer.text


async def test_a_wrong_file_steps_back_once_a_right_one_followed(service: Service, broker: Person) -> None:
    quote = await one_quoted(service)
    company = f"/company/{quote['company_id']}"

    await sent_in(service, quote, "wrong.pdf", DAMAGED)
    wrong = await broker.open(company)
    await sent_in(service, quote, "right.png", PHOTO)
    right = await broker.open(company)
    await sent_in(service, quote, "wrong again.pdf", DAMAGED + b" either")
    again = await broker.open(company)

    assert [upload["finding"] for upload in (await shown(service, quote["quote_identifier"]))["uploads"]] == [
        "damaged",
        "unreadable",
        "damaged",
    ]
    assert colors_of(wrong) == {"wrong.pdf": "late"}
    assert "Upload it again." in text_of(wrong)
    assert colors_of(right) == {"wrong.pdf": "quiet", "right.png": "quiet"}
    assert "wrong.pdf : Replaced by a later file: it was damaged." in text_of(right)
    assert "Upload it again." not in text_of(right)
    assert colors_of(again) == {"wrong.pdf": "quiet", "right.png": "quiet", "wrong again.pdf": "late"}
