"""Broker-of-record clearance: which shared facts block a submission."""

from collections.abc import Collection
from datetime import timedelta
from typing import Final

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
"""What a block is about, by the kind of key in conflict."""

DEMO_BLOCK_SUFFIX: Final = "(bor)"


def check_clearance(kinds_in_conflict: Collection[str]) -> None:
    """Refuse a submission that shares a domain or an address with another organization.

    Raises:
        ClearanceBlocked: it does; the reasons hold only the keys in conflict.
    """
    if blocks := block_problems(kinds_in_conflict):
        raise ClearanceBlocked({kind: problem.code for kind, problem in blocks.items()})


def demo_conflict(name: str, *, has_domains: bool) -> frozenset[str]:
    """Give the conflict that the demo plays for an applicant whose name ends in `(bor)`."""
    if not name.endswith(DEMO_BLOCK_SUFFIX):
        return frozenset()
    return frozenset(("domain", "address") if has_domains else ("address",))


def block_problems(kinds_in_conflict: Collection[str]) -> dict[str, Problem]:
    """Word a block as problems of the request, by kind of key and always in the same order."""
    return {kind: problem for kind, problem in PROBLEMS.items() if kind in kinds_in_conflict}
