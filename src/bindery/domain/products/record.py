"""What there is to know about a product apart from its dated data, in one record."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cache

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import Term
from bindery.domain.documents.forms import FORMS
from bindery.domain.policy.contingencies import ContingencyRule
from bindery.domain.rating.formula import Formula
from bindery.domain.screening.authority import Authority
from bindery.domain.screening.case import Rulebook


class Line(StrEnum):
    """What a company can have one policy of at a time: TEO includes cyber, so the two are one line.

    The days that policies occupy are stored by the place of their line here and by how many there are: a new
    line comes with a migration of `binds.occupies`.
    """

    CYBER = "cyber"
    PROFESSIONAL = "professional liability"


class IndustryUse(StrEnum):
    """What a product makes of the applicant's industry; where none is asked for, quotes show `00`."""

    RATED = "rated"
    NOT_RATED = "not_rated"
    NOT_ASKED = "not_asked"


class RetentionBasis(StrEnum):
    """Which of the two retentions a product is priced by."""

    AGGREGATE = "aggregate"
    PER_CLAIM = "per_claim"


@dataclass(frozen=True, slots=True, kw_only=True)
class RetroactiveRule:
    """How the cover of a product may reach back before the policy.

    `field` is the name of the date in requests and quotes, which is written as text where it may also be
    `full_prior_acts`. `needs_expiring_policy`: what was not quoted is proved by the policy before ours.
    """

    field: str
    takes_full_prior_acts: bool = False
    needs_expiring_policy: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductRecord:
    """One product. `retroactive` is None where no such date limits the cover.

    `title` is printed on documents, `short_title` is shown on pages, `name` is what a sentence calls it. The
    formulas are added up; the first one lists the retentions that can be quoted.
    """

    product: InsuranceProduct
    title: str
    short_title: str
    name: str
    line: Line
    is_scanned: bool
    industry: IndustryUse
    retention: RetentionBasis
    retroactive: RetroactiveRule | None
    authority: Authority
    rulebook: Rulebook
    contingencies: tuple[ContingencyRule, ...]
    formulas: tuple[Formula, ...]

    @property
    def documents(self) -> frozenset[DocumentType]:
        """The documents that quotes of the product can have: those for which it has a numbered form."""
        return _with_a_form(self.product)

    def retroactive_date(self, term: Term) -> date | str | None:
        """Return the day from which acts are covered, or `FULL_PRIOR_ACTS`; None where there is no such day.

        Where none was asked for, the liability covers start with the policy.
        """
        return None if self.retroactive is None else term.retroactive or term.effective


@cache
def _with_a_form(product: InsuranceProduct) -> frozenset[DocumentType]:
    forms = (form for edition in FORMS.all for form in edition.forms if product in form.products)
    return frozenset(form.document for form in forms if form.document is not None)
