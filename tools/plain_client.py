"""Write the client for plain code from the one for asyncio, so that one of the two is written by hand."""

import subprocess
import sys
from pathlib import Path
from typing import Final

CLIENT: Final = Path(__file__).parent.parent / "src" / "bindery" / "client"
REPLACED: Final = (
    (
        "The client for asyncio, written by hand; `make docs` writes `plain.py` from it.",
        "The client for plain code, written by `make docs` from `asynchronous.py`.",
    ),
    (
        "Signatures for asyncio, written by hand; `make docs` writes `plain_signatures.py` from it.",
        "Signatures for plain code, written by `make docs` from `asynchronous_signatures.py`.",
    ),
    (
        "Changes of policies for asyncio, written by hand; `make docs` writes `plain_changes.py` from it.",
        "Changes of policies for plain code, written by `make docs` from `asynchronous_changes.py`.",
    ),
    (
        "Webhooks for asyncio, written by hand; `make docs` writes `plain_webhooks.py` from it.",
        "Webhooks for plain code, written by `make docs` from `asynchronous_webhooks.py`.",
    ),
    ("client.asynchronous_webhooks", "client.plain_webhooks"),
    ("AsyncWebhooks", "Webhooks"),
    ("client.asynchronous_changes", "client.plain_changes"),
    ("AsyncChanges", "Changes"),
    ("client.asynchronous_signatures", "client.plain_signatures"),
    ("AsyncSignatures", "Signatures"),
    ("import asyncio\n", ""),
    ("AbstractAsyncContextManager", "AbstractContextManager"),
    ("AsyncBindery", "Bindery"),
    ("AsyncIterator", "Iterator"),
    ("AsyncClient", "Client"),
    ("AsyncBaseTransport", "BaseTransport"),
    ("import Iterator, Awaitable, Callable", "import Callable, Iterator"),
    ("Awaitable[P]", "P"),
    ("async def ", "def "),
    ("async for ", "for "),
    ("await ", ""),
    ("asyncio.sleep", "time.sleep"),
    ("__aexit__", "__exit__"),
    (".aclose(", ".close("),
)


def plain_client(source: str = "asynchronous.py") -> str:
    text = (CLIENT / source).read_text("utf-8")
    for asynchronous, plain in REPLACED:
        text = text.replace(asynchronous, plain)
    # The names of the plain modules sort otherwise.
    sorted_imports = _ruff("check", "--select", "I", "--fix", "--quiet", text)
    return _ruff("format", sorted_imports)


def _ruff(*command: str) -> str:
    *options, text = command
    return subprocess.run(  # noqa: S603 - our own formatter
        [Path(sys.executable).with_name("ruff"), *options, "--stdin-filename", CLIENT / "plain.py", "-"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
