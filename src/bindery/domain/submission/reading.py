"""Turn a create-quote request into a submission, or say everything that is wrong with it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from msgspec import UNSET

from bindery.base.errors import InvalidRequest, Problem
from bindery.contract.quotes import Address, QuoteOption
from bindery.contract.vocabulary import DEFAULT_AGGREGATE_LIMIT, InsuranceProduct
from bindery.domain.corrections import ZIP_OUTSIDE_STATE, Correction
from bindery.domain.domains import normalise_domain, registrable_domain
from bindery.domain.industries import TECHNOLOGY
from bindery.domain.questions import AnswerSheet, Circumstances, question_set, read_answers
from bindery.domain.risk import OptionAsk
from bindery.domain.submission import checks
from bindery.domain.submission.addresses import address_key
from bindery.domain.submission.parts import Parts
from bindery.domain.submission.value import Submission
from bindery.domain.us_states import state_of_zip


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the service knows that a request is held against."""

    today: date
    programs: Sequence[str] = ()
    broker_is_known: bool = True
    company_is_known: bool = True


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of reading a request: its problems, and the submission where there are none."""

    problems: tuple[Problem, ...]
    missing: tuple[str, ...]
    submission: Submission | None

    def accepted(self) -> Submission:
        """Give the submission.

        Raises:
            InvalidRequest: there are problems.
        """
        if self.submission is None:
            raise InvalidRequest.because(self.problems)
        return self.submission


def read_submission(
    parts: Parts, surroundings: Surroundings, schema_problems: Iterable[Problem] = ()
) -> Reading:
    """Run every check over the parts at hand and collect all that they find."""
    sheet = _answers(parts, surroundings.today)
    found = (*schema_problems, *_problems(parts, surroundings), *(sheet.problems if sheet else ()))
    problems = _without_repeats(found)
    missing = sheet.missing if sheet else ()
    if problems:
        return Reading(problems, missing, None)
    assert sheet is not None, "a request without problems has answers that were read"
    return Reading((), (), _submission(parts, surroundings, sheet))


def _problems(parts: Parts, surroundings: Surroundings) -> Iterator[Problem]:
    yield from checks.blank_texts(parts)
    if parts.address is not None:
        yield from checks.bad_address(parts.address)
    if parts.broker_email is not None and not surroundings.broker_is_known:
        yield Problem("client.broker_email", "unknown_broker", "is not a broker configured for this partner")
    if parts.company_id is not None and not surroundings.company_is_known:
        yield Problem("client.company_id", "unknown_company", "names no company of this partner")
    if parts.industry == TECHNOLOGY and parts.product is not InsuranceProduct.TEO:
        yield Problem(
            "client.industry", "wrong_format", "must be six digits; 00 stands for any TEO applicant"
        )
    yield from checks.bad_domains(parts)
    yield from checks.bad_emails(parts)
    yield from checks.repeated_roles(parts)
    yield from checks.oversized_metadata(parts)
    if parts.dates is not None:
        yield from checks.bad_dates(parts.dates, "policy.dates")
    yield from checks.unknown_program(parts, surroundings.programs)
    yield from checks.excessive_per_claim_limits(parts)


def _answers(parts: Parts, today: date) -> AnswerSheet | None:
    """Read the answers, where there are not too many and it is known of which product they are."""
    if parts.product is None or parts.questions is None:
        return None
    return read_answers(
        question_set(parts.product),
        [(question.id, question.value) for _, question in parts.questions],
        _circumstances(parts, parts.product, today),
        places=[number for number, _ in parts.questions],
        unreadable=parts.unreadable_answers,
    )


def _circumstances(parts: Parts, product: InsuranceProduct, today: date) -> Circumstances:
    """Settle what decides which questions are required.

    An unreadable revenue or date is taken for the one that requires the fewest: what is missing then is
    missing in any case.
    """
    try:
        term = checks.term_of(parts.dates, product=product, tomorrow=_tomorrow(today))
    except (ValueError, OverflowError):
        term = checks.term_of(None, product=product, tomorrow=_tomorrow(today))
    return Circumstances(
        revenue=1 if parts.revenue is None else parts.revenue,
        effective=term.effective,
        mpl_retroactive=term.mpl_retroactive,
    )


def _submission(parts: Parts, surroundings: Surroundings, sheet: AnswerSheet) -> Submission:
    assert parts.name is not None
    assert parts.revenue is not None
    assert parts.broker_email is not None
    assert parts.address is not None
    assert parts.product is not None
    state = checks.state_of(parts.address)
    domains = tuple(dict.fromkeys(normalise_domain(name) for _, name in parts.domains))
    return Submission(
        product=parts.product,
        name=parts.name.strip(),
        trade_name=(parts.dba or "").strip() or None,
        revenue=parts.revenue,
        state=state,
        industry=None if parts.industry == TECHNOLOGY else parts.industry,
        domains=domains,
        term=checks.term_of(parts.dates, product=parts.product, tomorrow=_tomorrow(surroundings.today)),
        options=_options(parts),
        answers=sheet.counting,
        given=sheet.given,
        question_edition=sheet.edition,
        broker_email=parts.broker_email.strip().lower(),
        program_code=parts.program_code or "",
        registrable_domains=tuple(dict.fromkeys(registrable_domain(name) for name in domains)),
        address_key=address_key(parts.address, state),
        corrections=tuple(_corrections(parts, parts.address, state)),
    )


def _options(parts: Parts) -> tuple[OptionAsk, ...]:
    if not parts.options:
        return (OptionAsk(aggregate_limit=DEFAULT_AGGREGATE_LIMIT),)
    return tuple(_ask(option) for _, option in parts.options)


def _ask(option: QuoteOption) -> OptionAsk:
    return OptionAsk(
        aggregate_limit=option.aggregate_limit,
        aggregate_retention=None if option.aggregate_retention is UNSET else option.aggregate_retention,
        per_claim_limit=None if option.per_claim_limit is UNSET else option.per_claim_limit,
        per_claim_retention=None if option.per_claim_retention is UNSET else option.per_claim_retention,
    )


def _corrections(parts: Parts, address: Address, state: str) -> Iterator[Correction]:
    """Name what was taken though it does not fit; the underwriter reads it too."""
    zip_code = address.zip.strip()
    by_zip = state_of_zip(zip_code)
    if by_zip is not None and by_zip != state:
        text = f"The ZIP {zip_code} belongs to {by_zip}, but the address names {state}, which was quoted"
        yield Correction("client.address.zip", zip_code, None, text, ZIP_OUTSIDE_STATE)
    if parts.dates is not None and parts.product is not None:
        yield from checks.dates_without_effect(parts.dates, parts.product, "policy.dates")


def _tomorrow(today: date) -> date:
    return today + timedelta(days=1)


def _without_repeats(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Keep the first of problems that say the same of the same place."""
    return tuple({(problem.path, problem.code, problem.message): problem for problem in problems}.values())
