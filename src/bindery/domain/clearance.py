"""Broker-of-record clearance: which shared facts block a submission."""

from collections.abc import Collection
from datetime import timedelta
from typing import Final

from bindery.base.errors import ClearanceBlocked, Problem

WINDOW: Final = timedelta(days=60)
BLOCKS: Final = {"domain": "domain_exists", "address": "address_exists"}
PATHS: Final = {"domain": "client.domains", "address": "client.address"}
DEMO_BLOCK_SUFFIX: Final = "(bor)"


def check_clearance(kinds_in_conflict: Collection[str]) -> None:
    """Refuse a submission that shares a domain or an address with another organization.

    Raises:
        ClearanceBlocked: it does; the reasons hold only the keys in conflict.
    """
    if kinds_in_conflict:
        raise ClearanceBlocked({kind: block for kind, block in BLOCKS.items() if kind in kinds_in_conflict})


def demo_conflict(name: str, *, has_domains: bool) -> frozenset[str]:
    """Give the conflict that the demo plays for an applicant whose name ends in `(bor)`."""
    if not name.endswith(DEMO_BLOCK_SUFFIX):
        return frozenset()
    return frozenset(("domain", "address") if has_domains else ("address",))


def block_problems(kinds_in_conflict: Collection[str]) -> tuple[Problem, ...]:
    """Word a block as problems of the request, for a check that refuses nothing."""
    return tuple(
        Problem(PATHS[kind], block, "was submitted by another organization in the last 60 days")
        for kind, block in BLOCKS.items()
        if kind in kinds_in_conflict
    )
