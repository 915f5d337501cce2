"""The products, one record each: everything about a product apart from its dated data."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import cache
from typing import Final, assert_never

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import Term
from bindery.domain.documents.forms import FORMS
from bindery.domain.policy.contingencies import (
    ContingencyRule,
    expiring_policy,
    remote_access_mfa,
    signed_application,
)
from bindery.domain.rating import formulas
from bindery.domain.rating.formula import Formula
from bindery.domain.screening import activities, authority, controls, outside_view
from bindery.domain.screening.authority import Authority
from bindery.domain.screening.case import Rulebook


class Line(StrEnum):
    """A company has one policy of a line at a time: TEO includes cyber, so the two are one line.

    The days that policies occupy are stored by the index of their line here and by the number of lines: a new
    line comes with a migration of `binds.occupies`.
    """

    CYBER = "cyber"
    PROFESSIONAL = "professional liability"


class IndustryUse(StrEnum):
    """How a product uses the applicant's industry; where none is asked for, quotes show `00`."""

    RATED = "rated"
    NOT_RATED = "not_rated"
    NOT_ASKED = "not_asked"


class RetentionBasis(StrEnum):
    AGGREGATE = "aggregate"
    PER_CLAIM = "per_claim"


@dataclass(frozen=True, slots=True, kw_only=True)
class RetroactiveRule:
    """How far back before the policy a product may cover.

    `field` is the date's name in requests and quotes, a text where it may also be `full_prior_acts`.
    `needs_expiring_policy`: the policy before ours proves any time that was not quoted.
    """

    field: str
    takes_full_prior_acts: bool = False
    needs_expiring_policy: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductRecord:
    """One product. `retroactive` is None where no such date limits the cover.

    `title` is printed on documents, `short_title` shown on pages, `name` used in sentences. The formulas are
    added up; the first one lists the retentions that can be quoted.
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
        """The documents that quotes of the product can have: those with a numbered form."""
        return _with_a_form(self.product)

    def retroactive_date(self, term: Term) -> date | str | None:
        """Return the first day whose acts are covered, or `FULL_PRIOR_ACTS`; None where no day limits it.

        Without a requested date the liability covers start with the policy.
        """
        return None if self.retroactive is None else term.retroactive or term.effective


@cache
def _with_a_form(product: InsuranceProduct) -> frozenset[DocumentType]:
    forms = (form for edition in FORMS.all for form in edition.forms if product in form.products)
    return frozenset(form.document for form in forms if form.document is not None)


CYBER: Final = ProductRecord(
    product=InsuranceProduct.CYB,
    title="Cyber Insurance",
    short_title="Cyber",
    name="cyber",
    line=Line.CYBER,
    is_scanned=True,
    industry=IndustryUse.RATED,
    retention=RetentionBasis.AGGREGATE,
    retroactive=None,
    authority=Authority(limit=3_000_000),
    rulebook=Rulebook(
        applicant=(
            *activities.SANCTIONS_RULES,
            outside_view.missing_domain,
            activities.referred_industry,
            activities.unknown_industry,
            *activities.CYBER_RULES,
            *controls.CYBER_CONTROLS,
        ),
        option=authority.RULES,
        scan=outside_view.SCAN_RULES,
    ),
    contingencies=(signed_application, remote_access_mfa),
    formulas=(formulas.CYBER,),
)

TECHNOLOGY: Final = ProductRecord(
    product=InsuranceProduct.TEO,
    title="Technology Errors & Omissions and Cyber",
    short_title="Technology E&O",
    name="technology errors and omissions",
    line=Line.CYBER,
    is_scanned=True,
    # It is rated in a hazard group of its own, so that the industry says nothing about it.
    industry=IndustryUse.NOT_ASKED,
    retention=RetentionBasis.AGGREGATE,
    retroactive=RetroactiveRule(field="teo_retroactive_date", needs_expiring_policy=True),
    authority=Authority(limit=3_000_000, revenue=25_000_000),
    rulebook=Rulebook(
        applicant=(
            *activities.SANCTIONS_RULES,
            outside_view.missing_domain,
            *activities.CYBER_RULES,
            activities.not_mainly_technology,
            activities.prohibited_technology,
            activities.listed_technology,
            activities.referred_technology_work,
            *controls.CYBER_CONTROLS,
        ),
        option=authority.RULES,
        scan=outside_view.SCAN_RULES,
    ),
    contingencies=(signed_application, expiring_policy, remote_access_mfa),
    formulas=(formulas.CYBER_WITHIN_TECHNOLOGY, formulas.ERRORS_AND_OMISSIONS),
)

PROFESSIONAL: Final = ProductRecord(
    product=InsuranceProduct.MPL,
    title="Miscellaneous Professional Liability",
    short_title="Professional liability",
    name="miscellaneous professional liability",
    line=Line.PROFESSIONAL,
    is_scanned=False,
    industry=IndustryUse.NOT_RATED,
    retention=RetentionBasis.PER_CLAIM,
    retroactive=RetroactiveRule(field="mpl_retroactive_date", takes_full_prior_acts=True),
    authority=Authority(limit=2_000_000, revenue=50_000_000, advise_decline_above=100_000_000),
    rulebook=Rulebook(
        applicant=(
            *activities.SANCTIONS_RULES,
            activities.prohibited_profession,
            activities.listed_profession,
            activities.referred_services,
            *controls.PROFESSIONAL_CONDUCT,
        ),
        option=authority.RULES,
    ),
    contingencies=(signed_application,),
    formulas=(formulas.PROFESSIONAL,),
)


def record_of(product: InsuranceProduct) -> ProductRecord:
    match product:
        case InsuranceProduct.CYB:
            return CYBER
        case InsuranceProduct.TEO:
            return TECHNOLOGY
        case InsuranceProduct.MPL:
            return PROFESSIONAL
        case _:
            assert_never(product)


def products_of(line: Line) -> tuple[InsuranceProduct, ...]:
    return tuple(record.product for record in all_products() if record.line is line)


def all_products() -> tuple[ProductRecord, ...]:
    return tuple(map(record_of, InsuranceProduct))
