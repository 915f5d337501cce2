"""The story as a `.http` file, for the editors that send such files and for httpyac."""

import json
from collections.abc import Iterator
from typing import Final

from bindery.api.packages.story import STORY, TITLE, StoryStep

HEAD: Final = """# {title}: run it from top to bottom.
# `token` is a variable of your editor's environment, or of httpyac: httpyac send FILE --all --var token=…
@baseUrl = {base}
"""
SIGNING: Final = """
### Get the application as the client signs it
# The demo plays the client; yours comes from your e-signature provider.
GET {{baseUrl}}/v2/demo/quotes/{{quote}}/signed_application
Authorization: Bearer {{token}}

>>! signed.pdf

### Upload the signed application
# The receipt says what the file turned out to be.
POST {{baseUrl}}/v2/documents
Authorization: Bearer {{token}}
Content-Type: multipart/form-data; boundary=paper

--paper
Content-Disposition: form-data; name="quote_identifier"

{{quote}}
--paper
Content-Disposition: form-data; name="contingency"

{{contingency}}
--paper
Content-Disposition: form-data; name="file"; filename="signed.pdf"
Content-Type: application/pdf

< ./signed.pdf
--paper--

> {%
  client.test("is the application", () => client.assert(response.body.finding === "matched"));
%}
"""
"""In place of the steps that wait for a signature: such a file cannot send a request until it is there."""


def http_file(base: str) -> str:
    waiting = next(place for place, step in enumerate(STORY) if "signature_requests" in step.path)
    before, after = STORY[:waiting], STORY[waiting:]
    told = "".join("".join(_request(step)) for step in before) + SIGNING
    told += "".join("".join(_request(step)) for step in after if "signature_requests" not in step.path)
    return HEAD.format(title=TITLE, base=base) + told


def _request(step: StoryStep) -> Iterator[str]:
    yield f"\n### {step.name}\n# {step.says}\n"
    yield f"{step.method} {{{{baseUrl}}}}{step.path}\nAuthorization: Bearer {{{{token}}}}\n"
    yield from (f"{name}: {value}\n" for name, value in step.headers.items())
    if step.body is not None:
        yield f"Content-Type: application/json\n\n{json.dumps(step.body, indent=2, ensure_ascii=False)}\n"
    yield "\n> {%\n"
    yield from (f"  {line}\n" for line in _script(step))
    yield "%}\n"


def _script(step: StoryStep) -> Iterator[str]:
    yield "const status = response.status;"
    yield "const type = response.contentType.mimeType;"
    yield "const body = response.body;"
    for check in step.checks:
        expected = json.dumps(check.expected)
        yield f"client.test({json.dumps(check.says)}, () => client.assert(({check.found}) === {expected}));"
    for name, value in step.keeps.items():
        yield f"client.global.set({json.dumps(name)}, {value});"
