"""Build what partners take away: `python -m tools.packages DIR`, which `make packages` runs.

The program itself, the client packages, and the collections. What a running service hands out under
`/packages/` is made by it, without a compiler; the rest needs nothing but hatchling.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from bindery.api.openapi import openapi_document
from bindery.api.operations import OPERATIONS
from bindery.api.packages.shelf import packages_for
from bindery.settings import Settings

ROOT: Final = Path(__file__).parent.parent
BIN: Final = Path(sys.executable).parent
NODE_MODULES: Final = Path(sys.prefix) / "clients" / "js" / "node_modules"


def main() -> None:
    for made in build(Path(sys.argv[1]).absolute()):
        sys.stdout.write(f"{made.name}  {made.stat().st_size / 1000:,.0f} kB\n")


def build(folder: Path) -> Iterator[Path]:
    yield from write_packages(folder)
    yield build_python(ROOT / "clients" / "python", folder, "sdist")
    yield build_python(ROOT, folder, "wheel")
    yield build_python(ROOT, folder, "sdist")


def write_packages(folder: Path) -> list[Path]:
    """Write what a demo hands out under `/packages/`."""
    folder.mkdir(parents=True, exist_ok=True)
    described = openapi_document(OPERATIONS, base_url=Settings().base_url)
    document = msgspec.json.decode(msgspec.json.encode(described))
    for package in packages_for(document, document):
        (folder / package.name).write_bytes(package.content)
    return sorted(folder.iterdir())


def build_python(source: Path, folder: Path, kind: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        _run([sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", place], source)
        (made,) = Path(place).iterdir()
        return Path(shutil.copy(made, folder / made.name))


def _run(command: list[str], folder: Path) -> str:
    environment = {**os.environ, "PATH": os.pathsep.join([str(BIN), os.environ["PATH"]])}
    done = subprocess.run(  # noqa: S603 - our own tools
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{Path(command[0]).name} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
