"""The names that choose an outcome in the demo environment."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from bindery.domain.quote.clearance import Conflict
from bindery.domain.submission.value import Submission

BREAKS_PRICING: Final = "calc-error"
PRE_BIND_SUFFIX: Final = "(prebind)"
BLOCK_SUFFIX: Final = "(bor)"


class PlayedDecision(StrEnum):
    """What the simulated underwriter does as soon as something comes to the desk."""

    APPROVE = "approve"
    DECLINE = "decline"


class DemoOutcomes:
    """What names do in the demo."""

    def played_conflict(self, submission: Submission) -> Conflict | None:
        """Return the broker-of-record conflict that the applicant's name asks for."""
        if not submission.name.endswith(BLOCK_SUFFIX):
            return Conflict()
        return Conflict(frozenset({"domain", "address"} if submission.domains else {"address"}))

    shares_domains = True
    """Everybody's domain is under example.com, so a domain tells nothing about whose company it is."""

    def breaks_pricing(self, domains: Iterable[str]) -> bool:
        """Whether a domain under example.com asks for pricing to fail."""
        return any(name.split(".")[0] == BREAKS_PRICING and name.endswith(".example.com") for name in domains)

    def adds_pre_bind(self, name: str) -> bool:
        """Whether the applicant's name asks for a pre-bind contingency."""
        return name.endswith(PRE_BIND_SUFFIX)

    def played_decision(self, name: str) -> PlayedDecision | None:
        """Return the decision that the applicant's name asks for."""
        return next((decision for decision in PlayedDecision if name.endswith(f"({decision})")), None)


class NoDemoOutcomes:
    """Production: a name is only a name."""

    shares_domains = False

    def played_conflict(self, _submission: Submission) -> Conflict | None:
        """Return None: the real check decides."""
        return None

    def breaks_pricing(self, _domains: Iterable[str]) -> bool:
        """Return False: pricing fails only by a fault."""
        return False

    def adds_pre_bind(self, _name: str) -> bool:
        """Return False: only rules and people add contingencies."""
        return False

    def played_decision(self, _name: str) -> PlayedDecision | None:
        """Return None: people decide."""
        return None
