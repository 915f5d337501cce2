"""Broker-of-record clearance: which shared facts block a submission."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Final, Protocol

from bindery.base.errors import ClearanceBlocked, Problem

WINDOW: Final = timedelta(days=60)
PROBLEMS: Final = {
    "domain": Problem(
        "client.domains", "domain_exists", "names a domain that another organization was submitted with"
    ),
    "address": Problem(
        "client.address", "address_exists", "is an address that another organization was submitted with"
    ),
}

Key = tuple[str, str]
"""A kind, `domain` or `address`, and the value that submissions share."""


class Cleared(Protocol):
    """What clearance looks at: a submission, or as much of one as is known before it is sent."""

    @property
    def name(self) -> str: ...

    @property
    def domains(self) -> tuple[str, ...]: ...

    @property
    def registrable_domains(self) -> tuple[str, ...]: ...

    @property
    def address_key(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Applying:
    submission: Cleared
    partner_id: int
    company_id: int | None

    @property
    def keys(self) -> list[Key]:
        return clearance_keys(self.submission)


@dataclass(frozen=True, slots=True)
class Conflict:
    """The kinds of key in conflict with other companies, and whether all of those are the partner's."""

    kinds: frozenset[str] = frozenset()
    is_own: bool = False


def clearance_keys(submission: Cleared) -> list[Key]:
    domains = [("domain", name) for name in submission.registrable_domains]
    return [*domains, ("address", submission.address_key)] if submission.address_key else domains


def key_in_words(key: Key) -> str:
    """Return a key for people to read: a domain as it is, an address with its parts apart."""
    kind, value = key
    if kind == "domain":
        return value
    parts = (part for part in value.split("|") if part)
    return ", ".join(part.upper() if len(part) == len("PA") else part.title() for part in parts)


def window_start(today: date, zone: tzinfo) -> datetime:
    """Return the moment from which submissions block; days count whole, in business time."""
    return datetime.combine(today - WINDOW, time.min, tzinfo=zone)


def conflict_over(keys: Iterable[Key], taken: Mapping[Key, Collection[int]], partner_id: int) -> Conflict:
    """Return the conflicts of a submission; `taken` maps keys to the partners that used them."""
    shared = [key for key in keys if key in taken]
    return Conflict(
        frozenset(kind for kind, _ in shared),
        is_own=all(partner == partner_id for key in shared for partner in taken[key]),
    )


def check_clearance(conflict: Conflict) -> None:
    if blocks := block_problems(conflict.kinds):
        reasons = {kind: problem.code for kind, problem in blocks.items()}
        raise ClearanceBlocked(reasons, is_own=conflict.is_own)


def block_problems(kinds_in_conflict: Collection[str]) -> dict[str, Problem]:
    return {kind: problem for kind, problem in PROBLEMS.items() if kind in kinds_in_conflict}
