"""The story as a Bruno collection: a folder of text files, as a zip."""

import io
import json
import textwrap
import zipfile
from collections.abc import Iterator
from typing import Final

from bindery.api.packages.archives import ZIP_DAY
from bindery.api.packages.story import MOST_TRIES, STORY, TITLE, StoryStep

FOLDER: Final = "bindery"


def bruno_collection(base: str) -> bytes:
    files = {
        "bruno.json": json.dumps({"version": "1", "name": "Bindery", "type": "collection"}, indent=2) + "\n",
        "environments/service.bru": f"vars {{\n  baseUrl: {base}\n}}\nvars:secret [\n  token\n]\n",
    }
    for place, step in enumerate(STORY, 1):
        files[f"{TITLE}/{place} {step.name}.bru"] = "\n".join(_blocks(place, step))
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(f"{FOLDER}/{path}", ZIP_DAY)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return written.getvalue()


def _blocks(place: int, step: StoryStep) -> Iterator[str]:
    kind = "json" if step.body is not None else "none"
    yield _block("meta", f"name: {step.name}\ntype: http\nseq: {place}")
    yield _block(step.method.lower(), f"url: {{{{baseUrl}}}}{step.path}\nbody: {kind}\nauth: bearer")
    if step.headers:
        yield _block("headers", "\n".join(f"{name}: {value}" for name, value in step.headers.items()))
    yield _block("auth:bearer", "token: {{token}}")
    if step.body is not None:
        yield _block("body:json", json.dumps(step.body, indent=2, ensure_ascii=False))
    yield _block("script:post-response", "\n".join(_script(step)))
    yield _block("tests", "\n".join(_tests(step)))
    yield _block("docs", step.says)


def _block(name: str, content: str) -> str:
    return f"{name} {{\n{textwrap.indent(content, '  ')}\n}}\n"


_ANSWER: Final = (
    "const status = res.getStatus();",
    'const type = (res.getHeader("content-type") ?? "").split(";")[0];',
    "const body = res.getBody();",
)


def _script(step: StoryStep) -> Iterator[str]:
    yield from _ANSWER
    if step.again_until:
        yield 'const tries = Number(bru.getVar("tries") ?? 0);'
        yield f"const again = !({step.again_until}) && tries < {MOST_TRIES};"
        yield 'bru.setVar("tries", again ? tries + 1 : 0);'
        yield "if (again) {"
        yield "  await bru.sleep(500);"
        yield f"  bru.runner.setNextRequest({json.dumps(step.name)});"
        yield "  return;"
        yield "}"
    for name, value in step.keeps.items():
        yield f"bru.setVar({json.dumps(name)}, {value});"


def _tests(step: StoryStep) -> Iterator[str]:
    yield from _ANSWER
    if step.again_until:
        # The script before has set it to 0 when this is what was waited for.
        yield 'if (Number(bru.getVar("tries")) > 0) return;'
    for check in step.checks:
        expected = json.dumps(check.expected)
        yield f"test({json.dumps(check.says)}, () => expect({check.found}).to.eql({expected}));"
