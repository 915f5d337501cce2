"""Turn a create-quote request into a submission, or report everything that is wrong with it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from bindery.base.errors import InvalidRequest, Problem
from bindery.contract.quotes import Address, QuoteOption
from bindery.contract.vocabulary import DEFAULT_AGGREGATE_LIMIT, InsuranceProduct
from bindery.domain.applicant.domains import normalize_domain, registrable_domain
from bindery.domain.applicant.industries import TECHNOLOGY, find_industry
from bindery.domain.applicant.risk import OptionAsk
from bindery.domain.applicant.us_states import state_of_zip
from bindery.domain.policy.binding import EARLIEST, LATEST
from bindery.domain.products import IndustryUse, record_of
from bindery.domain.questions.conditions import QuestionContext
from bindery.domain.questions.question import QUESTIONS
from bindery.domain.questions.sheet import AnswerSheet, read_answers
from bindery.domain.rating.option import settle_terms
from bindery.domain.rating.tariff import Tariff
from bindery.domain.submission import checks
from bindery.domain.submission.parts import Parts, address_key, or_none
from bindery.domain.submission.value import (
    INDUSTRY_MISSING,
    NO_LONGER_BINDABLE,
    NOT_BINDABLE_YET,
    UNKNOWN_INDUSTRY,
    ZIP_OUTSIDE_STATE,
    Correction,
    Submission,
    ignored_fields,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingContext:
    today: date
    programs: Sequence[str] = ()
    broker_is_known: bool = True
    company_is_known: bool = True


@dataclass(frozen=True, slots=True)
class Reading:
    problems: tuple[Problem, ...]
    missing: tuple[str, ...]
    submission: Submission | None

    def accepted(self) -> Submission:
        if self.submission is None:
            raise InvalidRequest.because(self.problems)
        return self.submission


def read_submission(
    parts: Parts,
    context: ReadingContext,
    schema_problems: Iterable[Problem] = (),
    unknown_fields: Iterable[Problem] = (),
) -> Reading:
    sheet = _answers(parts, context.today)
    found = (*schema_problems, *_problems(parts, context), *(sheet.problems if sheet else ()))
    problems = _without_repeats(found)
    missing = sheet.missing if sheet else ()
    if problems:
        return Reading(problems, missing, None)
    assert sheet is not None, "a request without problems has answers that were read"
    return Reading((), (), _submission(parts, context, sheet, unknown_fields))


def _problems(parts: Parts, context: ReadingContext) -> Iterator[Problem]:
    yield from checks.blank_texts(parts)
    if parts.address is not None:
        yield from checks.bad_address(parts.address)
    if parts.broker_email is not None and not context.broker_is_known:
        yield Problem("client.broker_email", "unknown_broker", "is not a broker configured for this partner")
    if parts.company_id is not None and not context.company_is_known:
        yield Problem("client.company_id", "unknown_company", "is not a company of this partner")
    asks_for_industry = (
        parts.product is None or record_of(parts.product).industry is not IndustryUse.NOT_ASKED
    )
    if parts.industry == TECHNOLOGY and asks_for_industry:
        yield Problem(
            "client.industry", "wrong_format", "must be six digits; 00 stands for any TEO applicant"
        )
    yield from checks.bad_domains(parts)
    yield from checks.bad_emails(parts)
    yield from checks.repeated_roles(parts)
    yield from checks.oversized_metadata(parts)
    if parts.dates is not None:
        yield from checks.bad_dates(parts.dates, "policy.dates")
        yield from checks.before_first_tariff(parts.dates)
    yield from checks.unknown_program(parts, context.programs)
    yield from checks.bad_per_claim_limits(parts)


def _answers(parts: Parts, today: date) -> AnswerSheet | None:
    if parts.product is None or parts.questions is None:
        return None
    return read_answers(
        QUESTIONS.in_force(today).sets[parts.product],
        [(question.id, question.value) for _, question in parts.questions],
        circumstances_of(parts, parts.product, today),
        places=[number for number, _ in parts.questions],
        unreadable=parts.unreadable_answers,
    )


def circumstances_of(parts: Parts, product: InsuranceProduct, today: date) -> QuestionContext:
    """Settle the facts that decide which questions are required.

    An unreadable revenue or date counts as the one that requires the fewest: a question that is missing then
    is missing in any case.
    """
    try:
        term = checks.term_of(parts.dates, product=product, tomorrow=_tomorrow(today))
    except (ValueError, OverflowError):
        term = checks.term_of(None, product=product, tomorrow=_tomorrow(today))
    return QuestionContext(revenue=1 if parts.revenue is None else parts.revenue, term=term)


def _submission(
    parts: Parts, context: ReadingContext, sheet: AnswerSheet, unknown_fields: Iterable[Problem]
) -> Submission:
    assert parts.name is not None
    assert parts.revenue is not None
    assert parts.broker_email is not None
    assert parts.address is not None
    assert parts.product is not None
    state = checks.state_of(parts.address)
    industry = None if parts.industry == TECHNOLOGY else parts.industry
    term = checks.term_of(parts.dates, product=parts.product, tomorrow=_tomorrow(context.today))
    domains = tuple(dict.fromkeys(normalize_domain(name) for _, name in parts.domains))
    return Submission(
        product=parts.product,
        name=parts.name.strip(),
        trade_name=(parts.dba or "").strip() or None,
        revenue=parts.revenue,
        state=state,
        industry=industry,
        domains=domains,
        term=term,
        options=_options(parts),
        answers=sheet.counting,
        given=sheet.given,
        question_edition=sheet.edition,
        broker_email=parts.broker_email.strip().lower(),
        program_code=parts.program_code or "",
        registrable_domains=tuple(dict.fromkeys(registrable_domain(name) for name in domains)),
        address_key=address_key(parts.address, state),
        corrections=(
            *ignored_fields(unknown_fields),
            *zip_outside_state(parts.address, state),
            *unlisted_industry(industry, parts.product),
            *out_of_reach(term.effective, context.today),
            *(
                checks.dates_without_effect(parts.dates, parts.product, "policy.dates")
                if parts.dates is not None
                else ()
            ),
        ),
    )


def _options(parts: Parts) -> tuple[OptionAsk, ...]:
    if not parts.options:
        return (OptionAsk(aggregate_limit=DEFAULT_AGGREGATE_LIMIT),)
    return tuple(_ask(option) for _, option in parts.options)


def _ask(option: QuoteOption) -> OptionAsk:
    return OptionAsk(
        aggregate_limit=option.aggregate_limit,
        aggregate_retention=or_none(option.aggregate_retention),
        per_claim_limit=or_none(option.per_claim_limit),
        per_claim_retention=or_none(option.per_claim_retention),
    )


def _tomorrow(today: date) -> date:
    return today + timedelta(days=1)


def _without_repeats(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Keep the first of problems that say the same of the same place."""
    return tuple({(problem.path, problem.code, problem.message): problem for problem in problems}.values())


FAR_AHEAD = timedelta(days=365)
EFFECTIVE = "policy.dates.effective"
INDUSTRY = "client.industry"


def zip_outside_state(address: Address, state: str) -> Iterator[Correction]:
    zip_code = address.zip.strip()
    by_zip = state_of_zip(zip_code)
    if by_zip is not None and by_zip != state:
        text = f"The ZIP {zip_code} belongs to {by_zip}, but the address names {state}, which was quoted"
        yield Correction("client.address.zip", zip_code, None, text, ZIP_OUTSIDE_STATE)


def unlisted_industry(code: str | None, product: InsuranceProduct) -> Iterator[Correction]:
    """Name an industry that is missing or unlisted, and how it is rated, where one is asked for."""
    if record_of(product).industry is IndustryUse.NOT_ASKED:
        return
    industry = find_industry(code)
    if code is None:
        text = f"No industry was given; {_rated_by(product, None)}"
        yield Correction(INDUSTRY, None, None, text, INDUSTRY_MISSING)
    elif industry.title is None:
        text = f"{code} is not a NAICS 2022 code; {_rated_by(product, industry.matched)}"
        yield Correction(INDUSTRY, code, industry.matched, text, UNKNOWN_INDUSTRY)


def _rated_by(product: InsuranceProduct, prefix: str | None) -> str:
    if record_of(product).industry is IndustryUse.NOT_RATED:
        return f"{product} is rated by its answers, without an industry"
    return f"it is rated by its prefix {prefix}" if prefix else "it is rated as an industry of middle hazard"


def out_of_reach(effective: date, today: date) -> Iterator[Correction]:
    if effective < today - EARLIEST:
        text = (
            f"The effective date {effective} can no longer be bound: a bind accepts one up to "
            f"{EARLIEST.days} days before today, {today}"
        )
        yield Correction(EFFECTIVE, str(effective), None, text, NO_LONGER_BINDABLE)
    elif effective > today + FAR_AHEAD:
        text = (
            f"The effective date {effective} cannot be bound before {effective - LATEST}: a bind accepts "
            f"one up to {LATEST.days} days ahead"
        )
        yield Correction(EFFECTIVE, str(effective), None, text, NOT_BINDABLE_YET)


def raised_terms(submission: Submission, tariff: Tariff) -> Iterator[Correction]:
    for number, ask in enumerate(submission.options):
        for correction in settle_terms(tariff, submission.revenue, submission.product, ask).corrections:
            yield replace(correction, field=f"policy.quotes[{number}].{correction.field}")
