"""Reading SPF records as far as a judgment needs it (RFC 7208)."""

from dataclasses import dataclass
from typing import Final

from bindery.outside.scanner.lookups import Lookups

MOST_LOOKUPS: Final = 10
LOOKUP_MECHANISMS: Final = frozenset({"include", "a", "mx", "ptr", "exists", "redirect"})
LETS_ANYBODY: Final = frozenset({"+all", "all", "?all"})


@dataclass(slots=True)
class _Count:
    lookups: int = 0


@dataclass(frozen=True, slots=True)
class SpfVerdict:
    """What an SPF record comes to: how it ends, and how many look-ups it costs (over 10 is too many)."""

    ending: str | None
    lookups: int

    @property
    def lets_anybody_send(self) -> bool:
        """Whether a sender the record does not name is let through; without an ending it is."""
        return self.ending is None or self.ending in LETS_ANYBODY


def spf_records(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Pick the SPF records out of a name's TXT records."""
    return tuple(text for text in texts if text.lower().split(" ", 1)[0] == "v=spf1")


async def judge_spf(record: str, lookups: Lookups) -> SpfVerdict:
    """Follow includes and redirects until the limit is passed.

    Raises:
        LookupFailed: the DNS gave no usable answer.
    """
    count = _Count()
    ending = await _follow(record, lookups, count)
    return SpfVerdict(ending, count.lookups)


async def _follow(record: str, lookups: Lookups, count: _Count) -> str | None:
    """Count the look-ups of a record and everything it draws in, and return its ending."""
    redirect = None
    for term in record.lower().split()[1:]:
        if term.lstrip("+-~?") == "all":
            # What stands behind it is never looked at, a redirect included.
            return term
        kind, target = _taken_apart(term)
        if kind in LOOKUP_MECHANISMS:
            count.lookups += 1
        if kind == "redirect":
            redirect = target
        elif kind == "include" and count.lookups <= MOST_LOOKUPS:
            await _follow_target(target, lookups, count)
    if redirect is None:
        return None
    return await _follow_target(redirect, lookups, count) if count.lookups <= MOST_LOOKUPS else "-all"


async def _follow_target(target: str, lookups: Lookups, count: _Count) -> str | None:
    # What a macro leads to depends on the mail, so it is not held against anybody.
    if "%" in target or not target:
        return "-all"
    records = spf_records(await lookups.texts(target))
    return await _follow(records[0], lookups, count) if records else None


def _taken_apart(term: str) -> tuple[str, str]:
    bare = term.lstrip("+-~?")
    for separator in (":", "=", "/"):
        kind, found, target = bare.partition(separator)
        if found and kind.isalnum():
            return kind, target if separator != "/" else ""
    return bare, ""
