"""How the client packages send each operation, as the reference shows it: `make docs` writes the file."""

from functools import cache
from importlib import resources
from typing import Final

import msgspec

FILE: Final = "client_samples.json"
CONNECT: Final = {
    "python": """import os

from bindery_client import Bindery

bindery = Bindery(os.environ["BINDERY_TOKEN"], "{server}")""",
    "typescript": """import {{ Bindery }} from "@bindery/client";

const bindery = new Bindery({{ token: process.env.BINDERY_TOKEN!, baseUrl: "{server}" }});""",
}
"""How a program connects, which the examples take for granted."""
NAMES: Final = {"bash": "curl", "python": "Python", "typescript": "TypeScript"}


def samples_of(operation: str) -> dict[str, str]:
    return _samples().get(operation, {})


@cache
def _samples() -> dict[str, dict[str, str]]:
    encoded = (resources.files("bindery.api") / FILE).read_bytes()
    return msgspec.json.decode(encoded, type=dict[str, dict[str, str]])
