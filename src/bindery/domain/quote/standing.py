"""Where a company stands with its quotes and policies, in the few words that a list has room for."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.quote.lifecycle import BINDABLE, NOT_READY, OVER

S = QuoteStatus


class CompanyStanding(StrEnum):
    """What some of a company's quotes have in common; the first of those that a company has leads."""

    BIND_REQUESTED = "bind_requested"
    BINDER = "binder"
    REFERRED = "referred"
    OPEN = "open"
    QUOTING = "quoting"
    IN_FORCE = "in_force"
    OVER = "over"


STATUSES_OF: Final[Mapping[CompanyStanding, tuple[QuoteStatus, ...]]] = {
    CompanyStanding.BIND_REQUESTED: (S.QUOTE_BIND_REQUESTED,),
    CompanyStanding.REFERRED: (S.QUOTE_REFERRED,),
    CompanyStanding.OPEN: BINDABLE,
    CompanyStanding.QUOTING: tuple(sorted(NOT_READY)),
    CompanyStanding.OVER: tuple(OVER),
}
"""Of the standings that a status alone decides. A policy is a binder until it is issued, and one that is
canceled from a later day on is in force until then."""
