"""Which modules have tests that are marked as long, by their text."""

import re
from functools import cache
from pathlib import Path

MARK = "mark.long"
OF_THE_MODULE = re.compile(r"^pytestmark = .*\bpytest\.mark\.long\b", re.MULTILINE)


def may_have_long_tests(module: Path) -> bool:
    """Whether a module marks tests as long, or imports a part of the support that does."""
    text = module.read_text("utf-8")
    return MARK in text or any(part in text for part in _marking_parts())


def has_only_long_tests(module: Path) -> bool:
    return OF_THE_MODULE.search(module.read_text("utf-8")) is not None


@cache
def _marking_parts() -> list[str]:
    ours = Path(__file__)
    parts = (part for part in ours.parent.glob("*.py") if part != ours)
    return [f"support.{part.stem}" for part in parts if MARK in part.read_text("utf-8")]
