"""The client packages as files: the same bytes for the same version, built without a compiler."""

import base64
import gzip
import hashlib
import io
import json
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any, Final

from bindery.api.packages.sources import (
    PACKAGE,
    client_file,
    python_modules,
    python_project,
    typescript_surface,
)
from bindery.api.packages.typescript_types import types_of

ZIP_DAY: Final = (2020, 2, 2, 0, 0, 0)
TAR_DAY_S: Final = 499_162_500
"""The times that the tools of the two registries write, so that their archives are reproducible."""
_READABLE: Final = 0o644
WHEEL: Final = "Wheel-Version: 1.0\nGenerator: bindery\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def python_wheel() -> tuple[str, bytes]:
    """Return the wheel of the Python client with its name."""
    project = python_project()
    name = f"{PACKAGE}-{project['version']}"
    files = {
        **python_modules(),
        f"{name}.dist-info/METADATA": "".join(_metadata(project)).encode(),
        f"{name}.dist-info/WHEEL": WHEEL.encode(),
        f"{name}.dist-info/licenses/LICENSE": client_file("python/LICENSE"),
    }
    record = f"{name}.dist-info/RECORD"
    files[record] = "".join(_record(files, record)).encode()
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, ZIP_DAY)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | _READABLE) << 16
            wheel.writestr(entry, content)
    return f"{name}-py3-none-any.whl", written.getvalue()


def _metadata(project: Mapping[str, Any]) -> Iterator[str]:
    yield "Metadata-Version: 2.4\n"
    yield f"Name: {project['name']}\nVersion: {project['version']}\nSummary: {project['description']}\n"
    yield from (f"Project-URL: {label}, {address}\n" for label, address in project["urls"].items())
    yield f"License-Expression: {project['license']}\nLicense-File: LICENSE\n"
    yield f"Keywords: {','.join(sorted(project['keywords']))}\n"
    yield from (f"Classifier: {classifier}\n" for classifier in sorted(project["classifiers"]))
    yield f"Requires-Python: {project['requires-python']}\n"
    yield from (f"Requires-Dist: {needed}\n" for needed in sorted(project["dependencies"]))
    yield f"Description-Content-Type: text/markdown\n\n{client_file('python/README.md').decode()}"


def _record(files: Mapping[str, bytes], record: str) -> Iterator[str]:
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        yield f"{path},sha256={digest},{len(content)}\n"
    yield f"{record},,\n"


def npm_tarball(document: dict[str, Any]) -> tuple[str, bytes]:
    """Return the npm package with its name; its types are those of the bodies of a document."""
    manifest = json.loads(client_file("typescript/package.json"))
    files = {
        "package.json": client_file("typescript/package.json"),
        "LICENSE": client_file("python/LICENSE"),
        "README.md": client_file("typescript/README.md"),
        **{f"dist/{name}": content for name, content in typescript_surface().items()},
        "dist/schema.d.ts": types_of(document).encode(),
    }
    written = io.BytesIO()
    with (
        # Without a time and a name, so that the same content gives the same bytes.
        gzip.GzipFile("", "wb", 9, written, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for path, content in files.items():
            entry = tarfile.TarInfo(f"package/{path}")
            entry.size, entry.mtime, entry.mode = len(content), TAR_DAY_S, _READABLE
            archive.addfile(entry, io.BytesIO(content))
    return (
        f"{manifest['name'].removeprefix('@').replace('/', '-')}-{manifest['version']}.tgz",
        written.getvalue(),
    )
