from collections.abc import Sequence

from bindery.domain.business_rules import BusinessRules
from bindery.domain.coverages import COVERAGES
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.repricing import ChangedTerms, reprice
from bindery.domain.rating.tariff import tariff_in_force
from bindery.domain.screening.gather import applicant_of
from bindery.storage.database import Reader
from bindery.storage.submission.submissions import StoredSubmission


def preview_terms(
    tx: Reader,
    rules: BusinessRules,
    stored: StoredSubmission,
    quotes: Sequence[Quote],
    *,
    changed: ChangedTerms,
) -> list[Quote]:
    """Price options of a submission on other terms as an approval would; change nothing.

    Raises:
        InvalidRequest: the tariff has no price for those terms.
    """
    applicant = applicant_of(stored.submission, scan=stored.scan, sanctions=rules.sanctions)
    tariff, coverages = tariff_in_force(tx.today), COVERAGES.in_force(tx.today)
    return [reprice(quote, tariff, coverages, applicant, changed=changed) for quote in quotes]
