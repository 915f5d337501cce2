"""Addresses of files that browsers keep for a year: they hold a hash of the content."""

import hashlib
from importlib.resources import files
from typing import Final


def kept_name(name: str, content: bytes) -> str:
    stem, _, suffix = name.rpartition(".")
    return f"{stem}.{hashlib.sha256(content).hexdigest()[:12]}.{suffix}"


FONT: Final = "inter.woff2"
FONT_ADDRESS: Final = f"/static/{kept_name(FONT, files('bindery.web').joinpath('static', FONT).read_bytes())}"
"""The font of the platform, which serves it, and of the guide."""
