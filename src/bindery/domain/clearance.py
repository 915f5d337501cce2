"""Broker-of-record clearance: which shared facts block a submission."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from bindery.base.errors import ClearanceBlocked

WINDOW: Final = timedelta(days=60)
BLOCKS: Final = {"domain": "domain_exists", "address": "address_exists"}
DEMO_BLOCK_SUFFIX: Final = "(bor)"


def check_clearance(kinds_in_conflict: Iterable[str]) -> None:
    """Refuse a submission that shares a domain or an address with another organization.

    Raises:
        ClearanceBlocked: it does; the reasons hold only the keys in conflict.
    """
    in_conflict = set(kinds_in_conflict)
    if in_conflict:
        raise ClearanceBlocked({kind: block for kind, block in BLOCKS.items() if kind in in_conflict})


def demo_conflict(name: str, *, has_domains: bool) -> tuple[str, ...]:
    """Give the conflict that the demo plays for an applicant whose name ends in `(bor)`."""
    if not name.endswith(DEMO_BLOCK_SUFFIX):
        return ()
    return ("domain", "address") if has_domains else ("address",)
