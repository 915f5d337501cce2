"""What the service hands out under /packages/: complete, reproducible, and the same in production."""

import hashlib
import io
import json
import re
import tarfile
import tomllib
import zipfile
from collections.abc import AsyncIterator
from html import unescape
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tools.packages import write_packages

from bindery.api.openapi import openapi_document
from bindery.api.operations import OPERATIONS
from bindery.api.packages import archives
from bindery.api.packages.sources import digest_of_sources, typescript_surface
from bindery.api.packages.typescript_types import types_of
from bindery.settings import Environment, Settings
from support.service import Service, serving
from support.source_tree import ROOT

WHEEL = "bindery_client-0.1.0-py3-none-any.whl"
TARBALL = "bindery-client-0.1.0.tgz"
COLLECTION = "bindery.postman_collection.json"
STORIES = ("bindery.bruno.zip", "bindery.http")


@pytest.fixture
async def production(dsn: str, tmp_path: Path) -> AsyncIterator[Service]:
    async with serving(dsn, tmp_path, environment=Environment.PRODUCTION) as it:
        yield it


def document() -> dict[str, Any]:
    described = openapi_document(OPERATIONS, base_url=Settings().base_url)
    decoded: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(described))
    return decoded


async def fetch(service: Service, name: str) -> bytes:
    answer = await service.http.get(f"/packages/{name}")
    assert answer.status_code == 200, answer.text
    return answer.content


async def test_the_page_lists_every_package_with_its_hash_and_how_to_install_it(service: Service) -> None:
    page = unescape((await service.http.get("/packages/")).text)

    names = re.findall(r'<a href="/packages/([^"]+)" download>', page)
    hashes = re.findall(r"<code>([0-9a-f]{64})</code>", page)
    assert names == [WHEEL, TARBALL, COLLECTION, *STORIES]
    for name, expected in zip(names, hashes, strict=True):
        assert hashlib.sha256(await fetch(service, name)).hexdigest() == expected
    assert f"pip install http://127.0.0.1:8000/packages/{WHEEL}" in page
    assert f"npm install http://127.0.0.1:8000/packages/{TARBALL}" in page


async def test_an_archive_is_sent_as_it_is_and_asked_for_again_by_its_tag(service: Service) -> None:
    first = await service.http.get(f"/packages/{WHEEL}", headers={"Accept-Encoding": "gzip, br"})
    again = await service.get(f"/packages/{WHEEL}", If_None_Match=first.headers["etag"])

    assert "content-encoding" not in first.headers
    assert first.headers["content-disposition"] == f'attachment; filename="{WHEEL}"'
    assert first.headers["cache-control"] == "no-cache"
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    ("name", "meant"),
    [("bindery-client-0.1.1.tgz", TARBALL), ("nothing-at-all.exe", None), ("..%2Fpyproject.toml", None)],
)
async def test_a_name_that_is_not_there_is_refused_with_the_nearest(
    service: Service, name: str, meant: str | None
) -> None:
    refused = await service.http.get(f"/packages/{name}")

    assert (refused.status_code, refused.json()["code"]) == (404, "unknown_path")
    if "%2F" not in name:
        assert "/packages/ has the list" in refused.json()["message"]
        assert ("did you mean" in refused.json()["message"]) == (meant is not None)
        assert meant is None or meant in refused.json()["message"]


async def test_the_address_without_its_slash_leads_there(service: Service) -> None:
    led = await service.http.get("/packages", follow_redirects=False)

    assert (led.status_code, led.headers["location"]) == (307, "/packages/")


async def test_production_hands_out_the_same_clients_and_collections_without_the_demo(
    production: Service, tmp_path: Path
) -> None:
    built = {path.name: path.read_bytes() for path in write_packages(tmp_path / "built")}

    assert await fetch(production, WHEEL) == built[WHEEL]
    assert await fetch(production, TARBALL) == built[TARBALL]
    assert b"/v2/demo" in built[COLLECTION]
    without = await fetch(production, COLLECTION)
    assert b"/v2/demo" not in without
    # The story would bind a policy, for a client who signs by himself.
    assert b"(signs)" in built[COLLECTION]
    assert b"(signs)" not in without
    for name in STORIES:
        assert built[name]
        assert (await production.http.get(f"/packages/{name}")).status_code == 404


def test_two_builds_are_the_same_bytes(tmp_path: Path) -> None:
    first, second = (
        {path.name: path.read_bytes() for path in write_packages(tmp_path / name)} for name in ("1", "2")
    )

    assert first == second


def test_the_record_of_the_wheel_has_the_hash_of_every_file() -> None:
    with zipfile.ZipFile(io.BytesIO(archives.python_wheel()[1])) as wheel:
        files = {name: wheel.read(name) for name in wheel.namelist()}

    (record,) = (name for name in files if name.endswith("/RECORD"))
    rows = [line.split(",") for line in files[record].decode().splitlines()]
    assert [row[0] for row in rows] == list(files)
    assert all(int(row[2]) == len(files[row[0]]) for row in rows[:-1])
    assert rows[-1] == [record, "", ""]


def test_the_tarball_has_what_its_manifest_leads_to() -> None:
    with tarfile.open(fileobj=io.BytesIO(archives.npm_tarball(document())[1])) as archive:
        names = set(archive.getnames())

    manifest = json.loads((ROOT / "clients" / "typescript" / "package.json").read_text())
    led_to = {path.removeprefix("./") for path in manifest["exports"]["."].values()}
    assert {f"package/{name}" for name in ("package.json", "LICENSE", "README.md", *led_to)} <= names
    # Every module that another one imports is there.
    for name, content in typescript_surface().items():
        for imported in re.findall(rb'from "\./([\w.]+)\.js"', content):
            ending = ".d.ts" if name.endswith(".d.ts") else ".js"
            assert f"package/dist/{imported.decode()}{ending}" in names


def test_what_was_compiled_is_of_the_sources_that_are_here() -> None:
    """Run `python -m tools.typescript_surface` after a change in clients/typescript."""
    digest = digest_of_sources(ROOT / "clients" / "typescript")

    assert len(typescript_surface()) == 14
    for name, content in typescript_surface().items():
        assert content.splitlines()[0].decode().endswith(f"sources {digest}."), name


def test_the_types_are_those_of_the_document() -> None:
    schemas = {
        "Colour": {"enum": ["red", "it's", None], "description": "A choice. */"},
        "Thing": {
            "type": "object",
            "description": "One line.\nAnother.",
            "properties": {
                "id": {"type": "string", "maxLength": 9},
                "size-in-m": {"type": ["integer", "null"], "deprecated": True},
                "kinds": {"type": "array", "items": {"anyOf": [{"$ref": "#/x/Colour"}, {"type": "null"}]}},
                "free": {"type": "object", "additionalProperties": {"type": "boolean"}},
                "any": {},
            },
            "required": ["id", "kinds"],
        },
    }

    written = types_of({"components": {"schemas": schemas}})

    assert written.partition("schemas: {\n")[2] == (
        "    /** A choice. *\\/ */\n"
        '    Colour: "red" | "it\'s" | null;\n'
        "    /**\n     * One line.\n     * Another.\n     */\n"
        "    Thing: {\n"
        "      id: string;\n"
        "      /** @deprecated */\n"
        '      "size-in-m"?: number | null;\n'
        '      kinds: (components["schemas"]["Colour"] | null)[];\n'
        "      free?: { [key: string]: boolean };\n"
        "      any?: unknown;\n"
        "    };\n  };\n}\n"
    )


def test_the_packages_say_one_version_and_one_address_everywhere() -> None:
    service, python = (
        tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
        for folder in (ROOT, ROOT / "clients" / "python")
    )
    npm = json.loads((ROOT / "clients" / "typescript" / "package.json").read_text("utf-8"))

    assert service["version"] == python["version"] == npm["version"]
    assert service["license"] == python["license"] == npm["license"]
    assert service["urls"]["Repository"] == python["urls"]["Repository"]
    assert npm["repository"]["url"] == f"git+{service['urls']['Repository']}.git"
    license_text = (ROOT / "LICENSE").read_bytes()
    assert (ROOT / "clients" / "python" / "LICENSE").read_bytes() == license_text


@pytest.mark.parametrize("page", ["guide/quickstart.md", "sdks.md"])
def test_a_page_installs_what_there_is(page: str) -> None:
    named = re.findall(r"\$BINDERY_URL/packages/([\w.-]+)", (ROOT / "docs" / page).read_text("utf-8"))

    assert {WHEEL, TARBALL} <= set(named)
