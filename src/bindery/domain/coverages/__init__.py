from bindery.domain.coverages.edition import (
    COVERAGES,
    Coverage,
    CoverageEdition,
    check_coverages,
    coverages_for,
    read_edition,
)
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
