"""The wording of forms and notices, as it stands in the data of an edition."""

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

CURRENT_EDITION: Final = "2026.1"


@lru_cache(maxsize=1)
def issuer() -> Mapping[str, Any]:
    """Give the names, numbers and addresses of those who issue the papers."""
    return read_wording("issuer")


@lru_cache(maxsize=32)
def read_wording(name: str, edition: str = CURRENT_EDITION) -> Mapping[str, Any]:
    """Read one file of an edition's wording.

    Raises:
        FileNotFoundError: there is no such file.
    """
    path = files("bindery").joinpath("data", "wording", edition, f"{name}.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def pieces(text: str) -> list[str]:
    """Cut a text of ours at its asterisks: plain and bold take turns, beginning with plain."""
    return text.split("*")
