"""What each product covers: rules read from an edition's data, resolved for one quote."""

from bindery.domain.coverages.edition import COVERAGES, CoverageEdition, check_coverages, read_edition
from bindery.domain.coverages.resolve import Coverage, coverages_for
from bindery.domain.coverages.rules import CoverageRule, Party

__all__ = [
    "COVERAGES",
    "Coverage",
    "CoverageEdition",
    "CoverageRule",
    "Party",
    "check_coverages",
    "coverages_for",
    "read_edition",
]
