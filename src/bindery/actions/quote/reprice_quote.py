from dataclasses import replace

from bindery.domain.applicant.risk import Term
from bindery.domain.business_rules import BusinessRules
from bindery.domain.coverages.edition import COVERAGES
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.repricing import AS_ASSESSED, ChangedTerms, reprice
from bindery.domain.rating.tariff import tariff_in_force
from bindery.domain.screening.rules import applicant_of
from bindery.storage.database import Reader
from bindery.storage.submission import submissions


async def reprice_quote(
    tx: Reader,
    rules: BusinessRules,
    quote: Quote,
    *,
    term: Term | None = None,
    changed: ChangedTerms = AS_ASSESSED,
    actor: str = "",
    reason: str = "",
) -> Quote:
    """Price a locked quote again by today's tariff, on another period or other terms.

    Raises:
        InvalidRequest: the tariff has no price for it.
    """
    stored = await submissions.get(tx, quote.submission_id)
    submission = stored.submission if term is None else replace(stored.submission, term=term)
    return reprice(
        quote,
        tariff_in_force(tx.today),
        COVERAGES.in_force(tx.today),
        applicant_of(submission, scan=stored.scan, sanctions=rules.sanctions),
        changed=changed,
        asked_for="terms" if term is None else "dates",
        actor=actor,
        reason=reason,
    )
