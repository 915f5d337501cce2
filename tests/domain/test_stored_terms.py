from datetime import date

import msgspec
import pytest

from bindery.domain.applicant.risk import FULL_PRIOR_ACTS, Term
from bindery.domain.submission.value import read_term

PERIOD = {"effective": "2026-12-01", "expiration": "2027-12-01"}


@pytest.mark.parametrize("retroactive", [None, date(2024, 2, 29), FULL_PRIOR_ACTS])
def test_a_term_is_read_as_it_was_stored(retroactive: date | str | None) -> None:
    term = Term(date(2026, 12, 1), date(2027, 12, 1), retroactive)

    assert read_term(msgspec.json.decode(msgspec.json.encode(term))) == term


@pytest.mark.parametrize(
    ("technology", "professional", "expected"),
    [
        (None, None, None),
        ("2024-02-29", None, date(2024, 2, 29)),
        (None, "2024-02-29", date(2024, 2, 29)),
        (None, "full_prior_acts", FULL_PRIOR_ACTS),
    ],
)
def test_a_term_with_a_date_for_each_product_is_still_read(
    technology: str | None, professional: str | None, expected: date | str | None
) -> None:
    stored = {**PERIOD, "teo_retroactive": technology, "mpl_retroactive": professional}

    assert read_term(stored) == Term(date(2026, 12, 1), date(2027, 12, 1), expected)
