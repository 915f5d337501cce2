"""What each product covers: rules read from an edition's data, resolved for one quote."""

from bindery.domain.coverages.edition import (
    CURRENT_EDITION,
    CoverageEdition,
    check_coverages,
    coverage_edition,
    read_edition,
)
from bindery.domain.coverages.resolve import Coverage, coverages_for
from bindery.domain.coverages.rules import CoverageRule, Party

__all__ = [
    "CURRENT_EDITION",
    "Coverage",
    "CoverageEdition",
    "CoverageRule",
    "Party",
    "check_coverages",
    "coverage_edition",
    "coverages_for",
    "read_edition",
]
