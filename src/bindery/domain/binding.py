"""What a bind request leads to."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Final, TypeVar, assert_never

import msgspec

from bindery.base.errors import InvalidRequest, Problem, WrongState
from bindery.contract.binds import BindRequest
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.contingencies import EXPIRING_POLICY, Contingency, DraftContingency, in_the_way
from bindery.domain.deadlines import is_expired
from bindery.domain.lifecycle import BINDABLE
from bindery.domain.policy import BINDER_LAPSES_AFTER
from bindery.domain.quote import Quote
from bindery.domain.risk import Term
from bindery.domain.submission import checks
from bindery.domain.submission.parts import Parts

D = TypeVar("D", date | None, date | str | None)

EARLIEST: Final = timedelta(days=7)
LATEST: Final = timedelta(days=30)


class Paper(StrEnum):
    """What was made of the files uploaded for the signature contingency."""

    NONE = "none"
    ACCEPTED = "accepted"
    OTHER_QUOTE = "other_quote"
    ALTERED = "altered"
    DAMAGED = "damaged"


@dataclass(frozen=True, slots=True, kw_only=True)
class BindAsk:
    """A bind request in the domain's words.

    `reaches_back_anew` says that it asks for cover of a time before the policy that was not quoted.
    """

    term: Term
    attested: bool
    contacts: str | None
    reaches_back_anew: bool
    fingerprint: bytes


@dataclass(frozen=True, slots=True)
class IssuePolicy:
    """Issue the policy at once."""


@dataclass(frozen=True, slots=True)
class IssueConditionalBinder:
    """Bind on the condition that everything open is fulfilled by then."""

    fulfil_by: date


@dataclass(frozen=True, slots=True)
class ReferBind:
    """Let an underwriter decide; `adds` is what the ask itself makes the quote subject to."""

    adds: tuple[DraftContingency, ...] = ()


BindDecision = IssuePolicy | IssueConditionalBinder | ReferBind


def read_bind_ask(request: BindRequest, *, quoted: Term, product: InsuranceProduct) -> BindAsk:
    """Read a bind request against the term that was quoted.

    Raises:
        InvalidRequest: its dates or contacts break a rule; all of them are listed.
    """
    problems = list(checks.bad_dates(request.dates, "dates"))
    if request.client is not None:
        parts = Parts(
            insured_main_contact=request.client.insured_main_contact,
            additional_contacts=tuple(enumerate(request.client.additional_contacts)),
        )
        problems += [*checks.bad_emails(parts), *checks.repeated_roles(parts)]
    if problems:
        raise InvalidRequest.because(problems)
    asked = checks.term_of(request.dates, product=product, tomorrow=quoted.effective)
    # A retroactive date given with the quote request holds unless the bind gives another.
    term = Term(
        effective=asked.effective,
        expiration=asked.expiration,
        teo_retroactive=asked.teo_retroactive or _not_after(asked.effective, quoted.teo_retroactive),
        mpl_retroactive=asked.mpl_retroactive or _not_after(asked.effective, quoted.mpl_retroactive),
    )
    contacts = msgspec.json.encode(request.client).decode() if request.client is not None else None
    content = (term, request.app_attestation, contacts)
    return BindAsk(
        term=term,
        attested=request.app_attestation,
        contacts=contacts,
        reaches_back_anew=_reaches_back_anew(term, quoted, product),
        fingerprint=hashlib.sha256(msgspec.json.encode(content)).digest(),
    )


def _not_after(effective: date, retroactive: D) -> D:
    """Let a date that was quoted move back with a policy that is to start before it."""
    return min(retroactive, effective) if isinstance(retroactive, date) else retroactive


def _reaches_back_anew(term: Term, quoted: Term, product: InsuranceProduct) -> bool:
    """Say whether an underwriter has to see how far back the cover is to reach.

    For TEO any time before the policy that was not quoted; for MPL more of it than was quoted, since what is
    asked about it was answered for that.
    """
    reach, quoted_reach = _reach(term, product), _reach(quoted, product)
    if product is InsuranceProduct.TEO and quoted_reach == quoted.effective:
        return reach < term.effective
    return reach < min(quoted_reach, term.effective)


def _reach(term: Term, product: InsuranceProduct) -> date:
    """Give the first day whose acts are covered."""
    match product:
        case InsuranceProduct.TEO:
            return term.teo_retroactive or term.effective
        case InsuranceProduct.MPL:
            if isinstance(term.mpl_retroactive, str):
                return date.min
            return term.mpl_retroactive or term.effective
        case InsuranceProduct.CYB:
            return term.effective
        case _:
            assert_never(product)


def check_effective(effective: date, today: date) -> None:
    """Hold the effective date to its window.

    Raises:
        InvalidRequest: it is more than 7 days past or more than 30 days ahead.
    """
    if effective < today - EARLIEST:
        flaw = Problem("dates.effective", "too_early", "must not be more than 7 days in the past")
        raise InvalidRequest.because([flaw])
    if effective > today + LATEST:
        flaw = Problem("dates.effective", "too_late", "must not be more than 30 days in the future")
        raise InvalidRequest.because([flaw])


def check_bindable(quote: Quote, today: date) -> None:
    """Refuse a quote that is not open.

    Raises:
        WrongState: by its status, or by its date, whether a sweep has come by yet or not.
    """
    if quote.status not in BINDABLE:
        raise WrongState(f"A quote that is {quote.status} cannot be bound.", available_statuses=BINDABLE)
    if quote.expires_on is not None and is_expired(quote.expires_on, today=today):
        raise WrongState(f"The quote expired on {quote.expires_on}.", available_statuses=BINDABLE)


def decide_bind(
    quote: Quote, ask: BindAsk, *, contingencies: Sequence[Contingency], paper: Paper, today: date
) -> BindDecision:
    """Say what a bind request leads to; change nothing.

    Raises:
        WrongState: the quote is not open.
        InvalidRequest: the effective date is out of its window, or the attestation has no paper to stand on.
    """
    check_bindable(quote, today)
    check_effective(ask.term.effective, today)
    if ask.attested:
        check_attested_paper(paper)
    if ask.reaches_back_anew:
        return ReferBind((EXPIRING_POLICY,) if quote.product is InsuranceProduct.TEO else ())
    if in_the_way(contingencies):
        return ReferBind()
    signature_is_open = any(one.is_signature and one.is_open for one in contingencies)
    if ask.attested or not signature_is_open:
        return IssuePolicy()
    return IssueConditionalBinder(today + BINDER_LAPSES_AFTER)


def check_attested_paper(paper: Paper) -> None:
    """Refuse an attestation that the uploaded papers do not bear out.

    Raises:
        InvalidRequest: no application was uploaded that opens, or it is recognizably another one or altered.
    """
    flaws = {
        Paper.NONE: "needs a signed application uploaded for the signature contingency",
        Paper.OTHER_QUOTE: "cannot be true: the uploaded application belongs to another quote",
        Paper.ALTERED: "cannot be true: the uploaded application differs from the one issued with this quote",
        Paper.DAMAGED: "needs the signed application: the uploaded file is damaged, upload it again",
    }
    if paper in flaws:
        problem = Problem("app_attestation", f"application_{paper}", flaws[paper])
        raise InvalidRequest.because([problem])
