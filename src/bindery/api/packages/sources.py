"""What the client packages are made from: files of this program, and of `clients/`."""

import hashlib
import re
import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import bindery

PACKAGE: Final = "bindery_client"
SHIPPED: Final = {
    "client/*": "",
    "contract/*.py": "contract/",
    "base/__init__.py": "base/",
    "base/clock.py": "base/",
    "base/numbers.py": "base/",
    "base/signatures.py": "base/",
}
"""Which files of the program the Python client is, and in which folder of the package."""
_NAMES: Final = (
    (re.compile(r"\bbindery\.client\b"), PACKAGE),
    (re.compile(r"\bbindery\.(contract|base)\b"), rf"{PACKAGE}.\1"),
)
"""The service's command line is a partner like any other: one code, shipped under a name of its own."""


def python_modules() -> dict[str, bytes]:
    """Return the files of the Python client, importing each other by the package's name."""
    program = Path(str(files(bindery)))
    modules = {}
    for pattern, folder in SHIPPED.items():
        for source in sorted(path for path in program.glob(pattern) if path.is_file()):
            text = source.read_text("utf-8")
            for name, shipped in _NAMES:
                text = name.sub(shipped, text)
            modules[f"{PACKAGE}/{folder}{source.name}"] = text.encode()
    return modules


def client_file(path: str) -> bytes:
    return (_clients() / path).read_bytes()


def typescript_surface() -> dict[str, bytes]:
    """Return the compiled files of the TypeScript client; the types of the bodies are not among them."""
    return {path.name: path.read_bytes() for path in sorted((_clients() / "typescript" / "built").iterdir())}


def digest_of_sources(folder: Path) -> str:
    """Return the hash that what was compiled from the TypeScript sources has in its first line."""
    sources = [folder / "tsconfig.json", *sorted((folder / "src").glob("*.ts"))]
    content = b"".join(path.read_bytes() for path in sources)
    return hashlib.sha256(content).hexdigest()[:16]


@cache
def python_project() -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads(client_file("python/pyproject.toml").decode())["project"]
    return project


@cache
def _clients() -> Path:
    """Find `clients/`: inside the package where it was installed, next to it in a checkout."""
    package = Path(bindery.__file__).parent
    installed = package / "clients"
    return installed if installed.is_dir() else package.parents[1] / "clients"
