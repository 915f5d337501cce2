"""A file that came in goes back under its own name, with the ending of what it is, and does no harm there."""

import re
import uuid
from urllib.parse import unquote

from support.papers import letter
from support.people import Person
from support.service import Service

SAFE = re.compile(r"""attachment; filename="([A-Za-z0-9._-]+)"; filename\*=UTF-8''([A-Za-z0-9._~%-]+)""")


NAMES = (
    ("note.pdf", "note.pdf", "note.pdf"),
    ("NOTE.PDF", "NOTE.pdf", "NOTE.pdf"),
    ("signed application", "signed-application.pdf", "signed application.pdf"),
    ("invoice.exe", "invoice.exe.pdf", "invoice.exe.pdf"),
    ("Zażółć.pdf", "Zazolc.pdf", "Zażółć.pdf"),
    ("名.pdf", "upload.pdf", "名.pdf"),
    ('a"; filename="b.exe', "a--filename--b.exe.pdf", "a-; filename=-b.exe.pdf"),
    ("../../etc/passwd", "etc-passwd.pdf", "etc-passwd.pdf"),
    ("line\r\nSet-Cookie: x=1.pdf", "lineSet-Cookie--x-1.pdf", "lineSet-Cookie- x=1.pdf"),
    (".pdf", "pdf.pdf", "pdf.pdf"),
    ("n" * 180, f"{'n' * 100}.pdf", f"{'n' * 100}.pdf"),
)
"""What a file was called, and its name for old and new browsers."""


async def test_an_upload_is_named_as_its_sender_named_it(working_service: Service, broker: Person) -> None:
    quote = await working_service.quote()
    identifier = quote["quote_identifier"]
    await broker.send(f"/quote/{identifier}/uploads", files={"file": ("note.pdf", letter("A note"))})
    upload = (await working_service.ready(identifier))["uploads"][0]["document_id"]
    found = {}
    for name, _, _ in NAMES:
        # What is refused or cleaned today may be on record from earlier days.
        await working_service.runtime.database.pool.execute(
            "update uploads set name = $2 where document_id = $1", uuid.UUID(upload), name
        )
        answer = await broker.http.get(f"/quote/{identifier}/upload/{upload}")
        said = SAFE.fullmatch(answer.headers["content-disposition"])
        assert said is not None, answer.headers["content-disposition"]
        found[name] = (said.group(1), unquote(said.group(2)))

    assert found == {name: (plain, spoken) for name, plain, spoken in NAMES}
