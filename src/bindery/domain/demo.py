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
    """Decisions of the simulated underwriter."""

    APPROVE = "approve"
    DECLINE = "decline"


class DemoOutcomes:
    def played_conflict(self, submission: Submission) -> Conflict | None:
        if not submission.name.endswith(BLOCK_SUFFIX):
            return Conflict()
        return Conflict(frozenset({"domain", "address"} if submission.domains else {"address"}))

    shares_domains = True
    """Every demo domain is under example.com, so a domain does not identify a company."""

    def breaks_pricing(self, domains: Iterable[str]) -> bool:
        return any(name.split(".")[0] == BREAKS_PRICING and name.endswith(".example.com") for name in domains)

    def adds_pre_bind(self, name: str) -> bool:
        return name.endswith(PRE_BIND_SUFFIX)

    def played_decision(self, name: str) -> PlayedDecision | None:
        return next((decision for decision in PlayedDecision if name.endswith(f"({decision})")), None)


class NoDemoOutcomes:
    """Production: a name is only a name."""

    shares_domains = False

    def played_conflict(self, _submission: Submission) -> Conflict | None:
        return None

    def breaks_pricing(self, _domains: Iterable[str]) -> bool:
        return False

    def adds_pre_bind(self, _name: str) -> bool:
        return False

    def played_decision(self, _name: str) -> PlayedDecision | None:
        return None
