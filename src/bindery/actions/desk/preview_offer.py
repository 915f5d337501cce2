from collections.abc import Sequence

from bindery.domain.applicant.risk import OptionAsk
from bindery.domain.business_rules import BusinessRules
from bindery.domain.coverages import COVERAGES
from bindery.domain.quote.counter_offer import PricedOffer, price_offer
from bindery.domain.quote.quote import Quote
from bindery.domain.rating.tariff import tariff_in_force
from bindery.domain.screening.gather import applicant_of
from bindery.storage.database import Reader
from bindery.storage.submission.submissions import StoredSubmission


def preview_offer(
    tx: Reader,
    rules: BusinessRules,
    stored: StoredSubmission,
    beside: Sequence[Quote],
    ask: OptionAsk,
    *,
    actor: str = "",
    reason: str = "",
) -> PricedOffer:
    """Price an option as an offer of it would; change nothing.

    Raises:
        InvalidRequest: the terms cannot be offered; every problem names its field.
    """
    return price_offer(
        ask,
        beside,
        tariff_in_force(tx.today),
        COVERAGES.in_force(tx.today),
        applicant_of(stored.submission, scan=stored.scan, sanctions=rules.sanctions),
        actor=actor,
        reason=reason,
    )
