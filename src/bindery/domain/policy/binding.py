"""The outcome of a bind request, and why a quote cannot be bound."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Final

from bindery.base.errors import AlreadyBound, ChangedMeanwhile, InvalidRequest, Problem, WrongState
from bindery.contract.binds import BindOutcome
from bindery.contract.vocabulary import ClosedAs, ContingencyType, InsuranceProduct, QuoteStatus
from bindery.domain.applicant.risk import Term
from bindery.domain.policy.bind_ask import BindAsk, reaches_back_further
from bindery.domain.policy.binders import NoAuthority
from bindery.domain.policy.contingencies import (
    ATTESTED,
    EXPIRING_POLICY,
    FULFILLED,
    Closing,
    Contingency,
    ContingencyKind,
    DraftContingency,
    in_the_way,
)
from bindery.domain.policy.evidence import Evidence, bad_paper
from bindery.domain.policy.policy import BINDER_LAPSES_AFTER, Policy
from bindery.domain.products import record_of
from bindery.domain.quote.lifecycle import BINDABLE
from bindery.domain.quote.quote import Quote, is_expired

S = QuoteStatus

ASK_AGAIN: Final = "Ask for a new quote with POST /quotes and the same company_id."

WITHOUT_POLICY: Final[Mapping[QuoteStatus, str]] = {
    S.QUOTE_REFERRED: "The quote is waiting for an underwriter and can be bound once it is published.",
    S.STALE: f"Nobody decided the referral within 60 days. {ASK_AGAIN}",
    S.QUOTE_DECLINED: "The quote was declined; its decision says why.",
    S.QUOTE_REVOKED: f"The quote was revoked; its decision says why. {ASK_AGAIN}",
    S.QUOTE_BIND_REQUESTED: "A bind of the quote has already been requested; an underwriter will decide on "
    "it.",
}


def why_not_bindable(
    quote: Quote, *, policy: Policy | None, chosen: Policy | None, renewal: Policy | None = None
) -> str:
    """Return why a quote is not open, and the next step.

    `policy` is the bind of this quote, `chosen` that of the option it was passed over for, `renewal` that
    which renews the policy.
    """
    if quote.status is S.POLICY_EXPIRED and policy is not None and renewal is not None:
        ended = f"The policy {policy.policy_number} ended on {policy.term.expiration}"
        return f"{ended} and was renewed as {renewal.policy_number}."
    if quote.status in WITHOUT_POLICY:
        return WITHOUT_POLICY[quote.status]
    if policy is not None:
        return _bound(quote, policy)
    if quote.status is S.QUOTE_NOT_BOUND:
        return f"{_passed_over(quote, chosen)} {ASK_AGAIN}"
    if quote.status in {*BINDABLE, S.QUOTE_EXPIRED}:
        return f"The quote expired on {quote.expires_on}. {ASK_AGAIN}"
    return f"A quote that is {quote.status} cannot be bound."


def _passed_over(quote: Quote, chosen: Policy | None) -> str:
    if chosen is None:
        return "Other cover of the company was bound instead."
    if chosen.policy_number is None:
        return f"The bind of another option, {quote.passed_over_for}, was requested instead."
    return f"Another option, {quote.passed_over_for}, was bound instead as {chosen.policy_number}."


def _bound(quote: Quote, policy: Policy) -> str:
    number = policy.policy_number
    match quote.status:
        case S.QUOTE_EXPIRED:
            lapsed = f"The binder {number} lapsed: it had to be fulfilled by {policy.fulfil_by}."
            return f"{lapsed} {ASK_AGAIN}"
        case S.POLICY_CANCELED:
            return f"The policy {number} was canceled as of {policy.ended_on}. {ASK_AGAIN}"
        case S.POLICY_EXPIRED:
            return f"The policy {number} ended on {policy.term.expiration}. {ASK_AGAIN}"
        case _ if policy.is_issued:
            return f"The quote is already bound: the policy is {number}."
        case _:
            return (
                f"The quote is already bound, as the binder {number}. Upload what is owed by "
                f"{policy.fulfil_by}; an underwriter closes it, and the policy is issued."
            )


EARLIEST: Final = timedelta(days=7)
LATEST: Final = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class IssuePolicy:
    """Issue the policy at once."""


@dataclass(frozen=True, slots=True)
class IssueConditionalBinder:
    fulfil_by: date


class BindConcern(StrEnum):
    RETROACTIVE_DATE = "retroactive_date"
    STILL_OPEN = "still_open"
    AUTHORITY = "authority"


@dataclass(frozen=True, slots=True)
class ReferBind:
    """Refer the bind to an underwriter; `adds` are contingencies that the request itself causes."""

    because: BindConcern
    adds: tuple[DraftContingency, ...] = ()


BindDecision = IssuePolicy | IssueConditionalBinder | ReferBind
OUTCOME_OF: Final[Mapping[type[BindDecision], BindOutcome]] = {
    ReferBind: BindOutcome.BIND_REQUESTED,
    IssueConditionalBinder: BindOutcome.CONDITIONAL_BINDER,
    IssuePolicy: BindOutcome.POLICY_ISSUED,
}
"""The outcome of each decision, the one that gives least first."""
_IN_WORDS: Final[Mapping[BindOutcome, str]] = {
    BindOutcome.BIND_REQUESTED: "an underwriter decides",
    BindOutcome.CONDITIONAL_BINDER: "a binder",
    BindOutcome.POLICY_ISSUED: "the policy at once",
}


def check_no_less_than_shown(decision: BindDecision, shown: BindOutcome | None) -> None:
    """Refuse a bind that gives less than the page showed; more is what its form asked for since."""
    outcome, order = OUTCOME_OF[type(decision)], tuple(OUTCOME_OF.values())
    if shown is not None and order.index(outcome) < order.index(shown):
        said = f"This now leads to another outcome: {_IN_WORDS[outcome]}; the page showed {_IN_WORDS[shown]}."
        raise ChangedMeanwhile(said)


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    closes: tuple[tuple[Contingency, Closing], ...]
    fulfil_by: date | None


Closings = Mapping[str, Closing]
"""How contingencies are closed, by their ids."""


def withdrawn_contingencies(ask: BindAsk, contingencies: Iterable[Contingency]) -> tuple[Contingency, ...]:
    """Return the contingencies of a retroactive date that the bind withdraws."""
    if ask.reaches_back:
        return ()
    return tuple(
        contingency
        for contingency in contingencies
        if contingency.is_open and contingency.kind is ContingencyKind.EXPIRING_POLICY
    )


def first_days(today: date) -> tuple[date, date]:
    return today - EARLIEST, today + LATEST


def opens_on(effective: date) -> date:
    return effective - LATEST


def bad_effective(effective: date, today: date) -> Iterator[Problem]:
    first, last = first_days(today)
    window = f"must be from {first} to {last}, 7 days before to 30 days after today, {today}"
    if effective < first:
        yield Problem("dates.effective", "too_early", window)
    if effective > last:
        yield Problem("dates.effective", "too_late", window)


def check_bindable(
    quote: Quote, today: date, *, policy: Policy | None, chosen: Policy | None, renewal: Policy | None = None
) -> None:
    """Refuse a quote that is not open, by its status or by its date, whether or not a sweep has come by."""
    is_past = quote.expires_on is not None and is_expired(quote.expires_on, today=today)
    if quote.status not in BINDABLE or is_past:
        why = why_not_bindable(quote, policy=policy, chosen=chosen, renewal=renewal)
        raise WrongState(why, status=quote.status, available_statuses=BINDABLE)


def decide_bind(
    quote: Quote,
    ask: BindAsk,
    *,
    contingencies: Sequence[Contingency],
    paper: Evidence,
    cover: Policy | None,
    today: date,
    is_signed: bool = False,
) -> BindDecision:
    """Decide the outcome of binding an open quote; change nothing.

    `cover` is another policy of the line that the company has in the requested period. `is_signed` says that
    the client signed on the page lately, which nobody has to attest.

    Raises:
        InvalidRequest: the effective date is out of its window, or no file supports the attestation, or both.
        AlreadyBound: the company is covered in that period.
    """
    problems = [*bad_effective(ask.term.effective, today), *(bad_paper(paper) if ask.attested else ())]
    if problems:
        raise InvalidRequest.because(problems)
    if cover is not None:
        raise AlreadyBound(cover.number)
    if ask.reaches_back_further:
        rule = record_of(quote.product).retroactive
        adds = (EXPIRING_POLICY,) if rule is not None and rule.needs_expiring_policy else ()
        return ReferBind(BindConcern.RETROACTIVE_DATE, adds)
    if in_the_way(contingencies):
        return ReferBind(BindConcern.STILL_OPEN)
    signature_is_open = any(owed.is_signature and owed.is_open for owed in contingencies)
    if ask.attested or is_signed or not signature_is_open:
        return IssuePolicy()
    return IssueConditionalBinder(today + BINDER_LAPSES_AFTER)


def refer_for_authority(lacking: NoAuthority) -> ReferBind:
    return ReferBind(BindConcern.AUTHORITY, (lacking.contingency,))


def concern_about(asked: Term, quoted: Term, product: InsuranceProduct) -> BindConcern:
    if reaches_back_further(asked, quoted, product):
        return BindConcern.RETROACTIVE_DATE
    return BindConcern.STILL_OPEN


def needed_before(contingencies: Iterable[Contingency]) -> tuple[Contingency, ...]:
    return tuple(owed for owed in contingencies if owed.is_open and owed.type is ContingencyType.PRE_BIND)


def decide_approval(
    contingencies: Sequence[Contingency],
    *,
    attested: bool,
    effective: date,
    today: date,
    closings: Closings | None = None,
    on_page: Closing | None = None,
) -> Approval:
    """Decide the outcome of approving a requested bind.

    Everything needed before the bind was fulfilled or is waived, as `closings` say of each; without them all
    of it was fulfilled. An attested document is in; `on_page` closes a signature that was made on the page.

    Raises:
        InvalidRequest: of something it is not said, or it is waived without a reason.
    """
    before = needed_before(contingencies)
    if closings is not None:
        _check_closings(before, closings)
    said = closings or {}
    closes = [(owed, said.get(owed.contingency_id, FULFILLED)) for owed in before]
    signed = ATTESTED if attested else on_page
    if signed is not None:
        closes += [(owed, signed) for owed in contingencies if owed.is_open and owed.is_signature]
    closed = {owed.contingency_id for owed, _ in closes}
    still_open = [owed for owed in contingencies if owed.is_open and owed.contingency_id not in closed]
    fulfil_by = last_day(still_open, effective, today) if still_open else None
    return Approval(closes=tuple(closes), fulfil_by=fulfil_by)


def _check_closings(before: Sequence[Contingency], closings: Closings) -> None:
    problems = []
    for owed in before:
        closing = closings.get(owed.contingency_id)
        path = f"contingencies.{owed.contingency_id}"
        if closing is None:
            flaw = f"must be fulfilled or waived: {owed.text}"
            problems.append(Problem(path, "required", flaw))
        elif closing.closed_as is ClosedAs.WAIVED and not closing.reason.strip():
            flaw = f"needs a reason to be waived: {owed.text}"
            problems.append(Problem(f"{path}.reason", "required", flaw))
    known = {owed.contingency_id for owed in before}
    problems += [
        Problem(f"contingencies.{unknown}", "unknown_contingency", "is not open before the bind")
        for unknown in closings
        if unknown not in known
    ]
    if problems:
        raise InvalidRequest.because(problems)


def last_day(owed: Iterable[Contingency], effective: date, today: date) -> date:
    """Return the last day of a binder: it does not lapse before the days of a contingency are over.

    A copy of the expiring policy may come within 30 days of the effective date, anything else of the bind.
    """
    waits_for_cover = any(contingency.kind is ContingencyKind.EXPIRING_POLICY for contingency in owed)
    return (max(today, effective) if waits_for_cover else today) + BINDER_LAPSES_AFTER


def fulfills_binder(closing: Contingency, policy: Policy | None, owed: Iterable[Contingency]) -> bool:
    """Whether closing a contingency leaves nothing open for a binder, which issues its policy."""
    if policy is None or not policy.in_force or policy.is_issued:
        return False
    return is_last_open(closing, owed)


def is_last_open(contingency: Contingency, owed: Iterable[Contingency]) -> bool:
    return contingency.is_open and not any(other.is_open for other in owed if other != contingency)
