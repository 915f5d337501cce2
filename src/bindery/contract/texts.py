"""Texts of request bodies: one line each, unless their type says otherwise."""

from typing import Annotated, Final

from msgspec import Meta

MANY_LINES: Final = "x-many-lines"
"""The schema keyword of texts that may hold line breaks and tabs."""

Lines = Annotated[str, Meta(extra_json_schema={MANY_LINES: True})]

LONGEST_BY_HAND: Final = 1_000
"""How many characters an underwriter's reason or contingency may have."""
