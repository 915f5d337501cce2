"""The names that choose an outcome in the demo environment; production never looks at them."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

BREAKS_PRICING: Final = "calc-error"
PRE_BIND_SUFFIX: Final = "(prebind)"


class PlayedDecision(StrEnum):
    """What the simulated underwriter does as soon as something comes to the desk."""

    APPROVE = "approve"
    DECLINE = "decline"


def breaks_pricing(domains: Iterable[str]) -> bool:
    """Say whether a domain under example.com asks for pricing to fail."""
    return any(name.split(".")[0] == BREAKS_PRICING and name.endswith(".example.com") for name in domains)


def adds_pre_bind(name: str) -> bool:
    """Say whether the applicant's name asks for a pre-bind contingency."""
    return name.endswith(PRE_BIND_SUFFIX)


def played_decision(name: str) -> PlayedDecision | None:
    """Give the decision that the applicant's name asks for."""
    return next((decision for decision in PlayedDecision if name.endswith(f"({decision})")), None)
