"""Broker-of-record clearance: which shared facts block a submission."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Final

from bindery.base.errors import ClearanceBlocked, Problem
from bindery.domain.submission.value import Submission

WINDOW: Final = timedelta(days=60)
PROBLEMS: Final = {
    "domain": Problem(
        "client.domains", "domain_exists", "names a domain that another organization was submitted with"
    ),
    "address": Problem(
        "client.address", "address_exists", "is an address that another organization was submitted with"
    ),
}
"""What a block is about, by the kind of key in conflict."""

Key = tuple[str, str]
"""What submissions share: its kind, `domain` or `address`, and its value."""


@dataclass(frozen=True, slots=True)
class Applying:
    """A submission to be cleared: whose it is, and of which company where that is on file."""

    submission: Submission
    partner_id: int
    company_id: int | None

    @property
    def keys(self) -> list[Key]:
        """Return what a broker-of-record check compares."""
        return clearance_keys(self.submission)


@dataclass(frozen=True, slots=True)
class Conflict:
    """The kinds of key in conflict with other companies, and whether all of those are the partner's."""

    kinds: frozenset[str] = frozenset()
    is_own: bool = False


def clearance_keys(submission: Submission) -> list[Key]:
    """Return what a broker-of-record check compares."""
    return [("domain", name) for name in submission.registrable_domains] + [
        ("address", submission.address_key)
    ]


def window_start(today: date, zone: tzinfo) -> datetime:
    """Return the moment from which submissions block; days count whole, where the business is."""
    return datetime.combine(today - WINDOW, time.min, tzinfo=zone)


def conflict_over(keys: Iterable[Key], taken: Mapping[Key, Collection[int]], partner_id: int) -> Conflict:
    """Return what conflicts with a submission; `taken` are keys with the partners who used them."""
    shared = [key for key in keys if key in taken]
    return Conflict(
        frozenset(kind for kind, _ in shared),
        is_own=all(partner == partner_id for key in shared for partner in taken[key]),
    )


def check_clearance(conflict: Conflict) -> None:
    """Refuse a submission that shares a domain or an address with another organization.

    Raises:
        ClearanceBlocked: it does; the reasons hold only the keys in conflict.
    """
    if blocks := block_problems(conflict.kinds):
        reasons = {kind: problem.code for kind, problem in blocks.items()}
        raise ClearanceBlocked(reasons, is_own=conflict.is_own)


def block_problems(kinds_in_conflict: Collection[str]) -> dict[str, Problem]:
    """Word a block as problems of the request, by kind of key and always in the same order."""
    return {kind: problem for kind, problem in PROBLEMS.items() if kind in kinds_in_conflict}
