"""Texts that a spreadsheet would take for a formula."""

from typing import Final

FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a formula begins with, also as the wide signs of Chinese and Japanese."""


def harmless(cell: object) -> object:
    """Return a cell that no spreadsheet takes for a formula; numbers stay as they are."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell
