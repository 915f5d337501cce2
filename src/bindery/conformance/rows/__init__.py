"""The table: every row, by the chapters of the specification."""

from typing import Final

from bindery.conformance.row import SpecRow
from bindery.conformance.rows import (
    access,
    answers,
    applicant,
    binds,
    documents,
    policy,
    questions,
    quotes,
    statuses,
    webhooks,
)

ROWS: Final[tuple[SpecRow, ...]] = (
    *access.ROWS,
    *applicant.ROWS,
    *policy.ROWS,
    *questions.ROWS,
    *quotes.ROWS,
    *statuses.ROWS,
    *documents.ROWS,
    *binds.ROWS,
    *answers.ROWS,
    *webhooks.ROWS,
)
