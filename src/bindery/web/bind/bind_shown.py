"""The bind form with what it is filled in with, what is needed for it, and the terms that are bound."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from bindery.contract.quote import QuoteBody
from bindery.domain.applicant.risk import Term
from bindery.domain.documents.file_types import LARGEST_PAPER
from bindery.domain.policy.binding import first_days
from bindery.domain.products import RetroactiveRule, record_of
from bindery.domain.submission.checks import last_days
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.bind.bind_form import CONTACT, PRIOR_ACTS, STATEMENTS, stated_in
from bindery.web.shown.comparison import Cell, comparison
from bindery.web.shown.option import shown_option
from bindery.web.shown.owed import ShownUpload
from bindery.web.shown.words import Times, day, day_of_year, money, product_name


@dataclass(frozen=True, slots=True)
class ShownNeed:
    """Something that is owed; it is in if a file came for it that is not found unfit."""

    number: str
    text: str
    when: str
    is_signature: bool
    is_in: bool
    files: tuple[ShownUpload, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownForm:
    quote_id: str
    number: int
    company: str
    company_id: int
    about: tuple[str, ...]
    effective: str
    effective_hint: str
    effective_limits: Mapping[str, str]
    contact: Mapping[str, str]
    retroactive: RetroactiveRule | None
    retroactive_date: str
    retroactive_hint: str
    is_full_prior_acts: bool
    statements: tuple[tuple[str, str, bool], ...]
    needs: tuple[ShownNeed, ...]
    needs_signature: bool
    contingency: str
    application: str
    largest: str
    terms: tuple[tuple[str, Cell], ...]

    @property
    def is_complete(self) -> bool:
        """Whether a file came in for everything that is owed, so that none is asked for."""
        return all(need.is_in for need in self.needs)


def shown_form(seen: QuoteRecord, body: QuoteBody, form: Mapping[str, str], times: Times) -> ShownForm:
    option = shown_option(seen, body, times, may_act=True)
    rule = record_of(seen.quote.product).retroactive
    signatures = {owed.contingency_id for owed in seen.contingencies if owed.is_signature}
    needs = tuple(
        ShownNeed(
            number=owed.number,
            text=owed.text,
            when=owed.when,
            is_signature=owed.number in signatures,
            is_in=any(not file.is_unfit for file in owed.uploads),
            files=owed.uploads,
        )
        for owed in option.contingencies
        if owed.is_open
    )
    stated = stated_in(form)
    first, last = first_days(times.today)
    retention = body.aggregate_retention if body.aggregate_retention is not None else body.per_claim_retention
    return ShownForm(
        quote_id=option.quote_id,
        number=option.number,
        company=str(seen.client["name"]),
        company_id=seen.quote.company_id,
        about=(
            product_name(seen.quote.product),
            f"{money(body.aggregate_limit)} limit, {money(retention)} retention",
        ),
        effective=form.get("effective", ""),
        effective_hint=f"{day_of_year(first)} to {day(last)}",
        effective_limits=_limits(first, last),
        contact={name: form.get(name, "") for name in CONTACT},
        retroactive=rule,
        retroactive_date=form.get(rule.field, "") if rule is not None else "",
        retroactive_hint=_without_date(seen.term),
        is_full_prior_acts=bool(form.get(PRIOR_ACTS)),
        statements=tuple((name, text, name in stated) for name, text in STATEMENTS),
        needs=needs,
        needs_signature=any(need.is_signature for need in needs),
        contingency=form.get("contingency_id", ""),
        application=next(
            (paper.address for paper in option.documents if paper.address.endswith("/application")), ""
        ),
        largest=f"PDF, PNG, JPEG, TIFF or DOCX, up to {LARGEST_PAPER // 2**20} MB",
        terms=tuple((row.title, row.cells[0]) for row in comparison([body], None, times) if row.term),
    )


@dataclass(frozen=True, slots=True)
class ShownExpiration:
    """The field of the last day, whose limits follow the first."""

    value: str
    limits: Mapping[str, str]


def shown_expiration(form: Mapping[str, str]) -> ShownExpiration:
    try:
        limits = _limits(*last_days(date.fromisoformat(form.get("effective", ""))))
    except (ValueError, OverflowError):
        limits = {}
    return ShownExpiration(form.get("expiration", ""), limits)


def _limits(first: date, last: date) -> Mapping[str, str]:
    return {"min": first.isoformat(), "max": last.isoformat()}


def _without_date(quoted: Term) -> str:
    asked = quoted.retroactive
    if isinstance(asked, date):
        return f"Empty: as quoted, {day(asked)}"
    return "" if asked else "Empty: the effective date, as quoted"
