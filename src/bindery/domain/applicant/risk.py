"""The facts of an applicant that are priced and screened, and the terms of one option."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from dateutil.relativedelta import relativedelta

from bindery.contract.vocabulary import InsuranceProduct

AnswerValue = bool | int | str | Decimal | date | tuple[str, ...]


def bare_id(question_id: str) -> str:
    """Drop one leading `Q`: `Q2134` and `2134` are the same question."""
    return question_id[1:] if question_id[:1] in {"Q", "q"} else question_id


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers that count, by bare question id, each read into the type of its question."""

    values: Mapping[str, AnswerValue] = field(default_factory=lambda: MappingProxyType({}))

    def get(self, question_id: str) -> AnswerValue | None:
        return self.values.get(bare_id(question_id))

    def is_answered(self, question_id: str) -> bool:
        return self.get(question_id) not in {None, "", ()}

    def yes(self, question_id: str) -> bool:
        return self.get(question_id) is True

    def no(self, question_id: str) -> bool:
        """Whether a yes-or-no question was answered no; an unanswered one was not."""
        return self.get(question_id) is False

    def chosen(self, question_id: str) -> tuple[str, ...]:
        """Return the chosen options; a single choice counts as one, none given as empty."""
        value = self.get(question_id)
        if isinstance(value, tuple):
            return value
        return (value,) if isinstance(value, str) else ()

    def number(self, question_id: str) -> int | Decimal | None:
        value = self.get(question_id)
        return value if isinstance(value, int | Decimal) and not isinstance(value, bool) else None


FULL_PRIOR_ACTS: Final = "full_prior_acts"


@dataclass(frozen=True, slots=True)
class Term:
    """The policy period and how far back it covers.

    `retroactive` is the request: a date, `FULL_PRIOR_ACTS`, or None. The product's record has the allowed
    values, and the rule for a request without one.
    """

    effective: date
    expiration: date
    retroactive: date | str | None = None

    @property
    def reaches_back(self) -> bool:
        asked = self.retroactive
        return asked < self.effective if isinstance(asked, date) else asked == FULL_PRIOR_ACTS


def whole_months(start: date, end: date) -> int:
    """Count the months that fit between two days; a month that starts on the 31st ends on its last day.

    Months are added, not subtracted: 12 of them have passed in the year from February 29 to February 28.
    """
    months = (end.year - start.year) * 12 + end.month - start.month
    return months if start + relativedelta(months=months) <= end else months - 1


def read_retroactive(text: str | None) -> date | str | None:
    return text if text in {None, FULL_PRIOR_ACTS} else date.fromisoformat(text or "")


@dataclass(frozen=True, slots=True)
class Risk:
    product: InsuranceProduct
    revenue: int
    state: str
    industry: str | None
    answers: Answers
    term: Term
    scan_score: int | None = None


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms a quote carries.

    CYB and TEO have an `aggregate_retention`; MPL has a `per_claim_retention`, and an aggregate one only as a
    yearly cap that was asked for.
    """

    aggregate_limit: int
    per_claim_limit: int
    aggregate_retention: int | None
    per_claim_retention: int | None


@dataclass(frozen=True, slots=True)
class OptionAsk:
    """One requested option, as it was sent; None where nothing was asked."""

    aggregate_limit: int
    aggregate_retention: int | None = None
    per_claim_limit: int | None = None
    per_claim_retention: int | None = None

    def as_terms(self) -> Terms:
        per_claim = self.aggregate_limit if self.per_claim_limit is None else self.per_claim_limit
        return Terms(self.aggregate_limit, per_claim, self.aggregate_retention, self.per_claim_retention)
