"""Compile the TypeScript client: `python -m tools.typescript_surface`, after a change of its sources.

What is compiled is kept in `clients/typescript/built`, so that whoever builds or serves the package needs no
JavaScript. It takes the compiler that `make setup-clients` installs, and carries a hash of its sources, so
that a test says when it is stale.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import msgspec

from bindery.api.openapi import openapi_document
from bindery.api.operations import OPERATIONS
from bindery.api.packages.sources import digest_of_sources
from bindery.api.packages.typescript_types import types_of
from bindery.settings import Settings
from tools.packages import BIN, NODE_MODULES, ROOT

SOURCE: Final = ROOT / "clients" / "typescript"
BUILT: Final = SOURCE / "built"


def main() -> None:
    for name, text in compiled().items():
        (BUILT / name).write_text(text, "utf-8")


def compiled() -> dict[str, str]:
    """Return the compiled files by their names, each with where it comes from in its first line."""
    head = f"// Compiled by `python -m tools.typescript_surface`; sources {digest_of_sources(SOURCE)}.\n"
    with tempfile.TemporaryDirectory() as place:
        folder = Path(shutil.copytree(SOURCE, Path(place) / "client"))
        document = openapi_document(OPERATIONS, base_url=Settings().base_url)
        types = types_of(msgspec.json.decode(msgspec.json.encode(document)))
        (folder / "src" / "schema.d.ts").write_text(types, "utf-8")
        tsc = [str(BIN / "node"), str(NODE_MODULES / "typescript" / "bin" / "tsc"), "--project", "."]
        done = subprocess.run(tsc, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603 - our own tools
        if done.returncode:
            sys.exit(f"tsc failed:\n{done.stdout}{done.stderr}")
        return {path.name: head + path.read_text("utf-8") for path in sorted((folder / "dist").iterdir())}


if __name__ == "__main__":
    main()
