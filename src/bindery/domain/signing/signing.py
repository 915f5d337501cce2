"""Signing an application on the page: what has to hold, what the signer states, and what is kept of it."""

import hashlib
import hmac
import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Final

from bindery.base.errors import BinderyError, Problem
from bindery.contract.documents import SignatureFinding, UploadFinding
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.business_rules import long_date
from bindery.domain.documents.application_matching import JudgedUpload, PagesSeen
from bindery.domain.policy.contingencies import Contingency
from bindery.domain.policy.policy import Policy
from bindery.domain.quote.lifecycle import BINDABLE
from bindery.domain.quote.quote import Quote, is_expired
from bindery.domain.signing.client_link import problems_of_line

S = QuoteStatus

CODE_DIGITS: Final = 6
CODE_LASTS: Final = timedelta(minutes=15)
MOST_TRIES_OF_A_CODE: Final = 5
CONSENT: Final = (
    "I agree to sign this application electronically and to receive it and the documents of this insurance "
    "in electronic form. My typed name, together with the code that was mailed to me, is my signature and "
    "binds as one on paper. I have read the application and can save and print it. I may ask for a copy on "
    "paper, or sign on paper instead, at no charge; I may withdraw this consent for the future by telling my "
    "broker. I need a browser, a reader for PDF files and a mailbox, and I have all three."
)
AUTHORITY: Final = (
    "I am authorized to sign for the applicant. The statements of the application are true and complete to "
    "the best of my knowledge after reasonable inquiry."
)
_CODE: Final = re.compile(rf"[0-9]{{{CODE_DIGITS}}}")
_SHOWN: Final = re.compile(r"([1-9][0-9]{0,8})(b?)\.(0|[1-9][0-9]?)")


def hash_of_text(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class ShownTerms:
    """What a page showed: the version of the offer's letter, whether the option was bound, and which it was.

    As text, `2.1` or `2b.1`, it goes along with the page's form.
    """

    version: int
    is_bound: bool
    option: int = 0

    def __str__(self) -> str:
        return f"{self.version}{'b' if self.is_bound else ''}.{self.option}"


def read_shown(text: str) -> ShownTerms | None:
    found = _SHOWN.fullmatch(text)
    return ShownTerms(int(found[1]), bool(found[2]), int(found[3])) if found else None


class NoLonger(StrEnum):
    """Why nothing can be signed."""

    WITHDRAWN = "withdrawn"
    CHANGED = "changed"
    EXPIRED = "expired"
    BOUND = "bound"
    ISSUED = "issued"
    LAPSED = "lapsed"
    OTHER_OPTION = "other_option"
    NOT_OFFERED = "not_offered"
    ENDED = "ended"
    SIGNED = "signed"
    NOT_NEEDED = "not_needed"


class TermsNoLongerHold(BinderyError):
    """What the client read does not hold any more; nothing was signed, and the message says why."""

    code = "terms_no_longer_hold"

    def __init__(self, because: NoLonger, message: str) -> None:
        super().__init__(message)
        self.because = because


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionStanding:
    """An option as the client's page needs it; `is_signed`: on a page, for what is still owed."""

    quote: Quote
    policy: Policy | None
    signature: Contingency | None
    terms: ShownTerms
    is_signed: bool
    today: date

    @property
    def last_day(self) -> date | None:
        if self.policy is not None and self.policy.is_conditional:
            return self.policy.fulfil_by
        return self.quote.expires_on if self.quote.status in BINDABLE else None


_OVER: Final[Mapping[QuoteStatus, tuple[NoLonger, str]]] = {
    S.QUOTE_REVOKED: (NoLonger.WITHDRAWN, "This offer was withdrawn."),
    S.QUOTE_DECLINED: (NoLonger.WITHDRAWN, "This offer was withdrawn by the underwriter."),
    S.QUOTE_NOT_BOUND: (NoLonger.OTHER_OPTION, "Another option was bound instead of this one."),
    S.QUOTE_REFERRED: (NoLonger.NOT_OFFERED, "An underwriter is looking at this option again."),
    S.STALE: (NoLonger.ENDED, "This option was not offered in time."),
    S.POLICY_CANCELED: (NoLonger.ENDED, "The policy was canceled."),
    S.POLICY_EXPIRED: (NoLonger.ENDED, "The policy has ended."),
}


def why_not_signable(standing: OptionStanding, shown: ShownTerms | None = None) -> TermsNoLongerHold | None:
    """Return why an option cannot be signed for as it was shown, or at all where nothing was `shown`."""
    found = _why_not(standing, shown)
    if found is None:
        return None
    because, sentence = found
    after = {
        NoLonger.CHANGED: "Nothing was signed: please read the offer as it is now.",
        NoLonger.BOUND: "Nothing was signed yet: please read the page as it is now.",
        NoLonger.ISSUED: "There is nothing to sign any more.",
        NoLonger.SIGNED: "There is nothing to sign any more.",
        NoLonger.NOT_NEEDED: "There is nothing to sign.",
    }
    return TermsNoLongerHold(
        because, f"{sentence} {after.get(because, 'Nothing was signed; please ask your broker.')}"
    )


def _why_not(standing: OptionStanding, shown: ShownTerms | None) -> tuple[NoLonger, str] | None:
    if standing.quote.status in _OVER:
        return _OVER[standing.quote.status]
    if (over := _lapsed(standing) or _expired(standing)) is not None:
        return over
    if standing.policy is not None and standing.policy.is_issued:
        return NoLonger.ISSUED, f"The policy {standing.policy.number} was issued."
    if standing.signature is None or not standing.signature.is_open:
        return NoLonger.NOT_NEEDED, "No signature is needed for this option."
    if standing.is_signed:
        return NoLonger.SIGNED, "The application was signed already."
    return None if shown is None else _other_terms(standing.terms, shown)


def _other_terms(terms: ShownTerms, shown: ShownTerms) -> tuple[NoLonger, str] | None:
    if shown.option != terms.option:
        return NoLonger.CHANGED, "Another option was chosen since the page was opened."
    if shown.is_bound != terms.is_bound:
        return NoLonger.BOUND, "The option was bound, or its bind requested, since the page was opened."
    if shown.version != terms.version:
        return NoLonger.CHANGED, "The terms of this offer have changed since the page was opened."
    return None


def _lapsed(standing: OptionStanding) -> tuple[NoLonger, str] | None:
    policy = standing.policy
    if policy is None or policy.fulfil_by is None:
        return None
    if standing.quote.status is S.QUOTE_EXPIRED or policy.is_lapsed(standing.today):
        return NoLonger.LAPSED, f"The binder lapsed after {long_date(policy.fulfil_by)}."
    return None


def _expired(standing: OptionStanding) -> tuple[NoLonger, str] | None:
    quote, last_day = standing.quote, standing.quote.expires_on
    is_past = last_day is not None and is_expired(last_day, today=standing.today)
    if quote.status is S.QUOTE_EXPIRED or (quote.status in BINDABLE and is_past):
        return NoLonger.EXPIRED, f"This offer ended{f' on {long_date(last_day)}' if last_day else ''}."
    return None


def is_bound(quote: Quote) -> bool:
    return quote.status not in BINDABLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Signer:
    """What somebody states and types who signs."""

    name: str
    title: str
    is_authorized: bool
    has_consented: bool
    code: str
    has_acknowledged: bool = True
    """Whether the notice of a state that asks for a signature of its own was confirmed."""


def problems_of_signer(signer: Signer) -> Iterator[Problem]:
    yield from problems_of_line(signer.name, "name")
    yield from problems_of_line(signer.title, "title")
    if not signer.is_authorized:
        yield Problem("is_authorized", "required", "must be confirmed: only then can you sign")
    if not signer.has_acknowledged:
        yield Problem("acknowledged", "required", "must be confirmed: your state asks for it")
    if not signer.has_consented:
        yield Problem("has_consented", "required", "must be given: otherwise sign on paper")
    if not _CODE.fullmatch(typed_code(signer.code)):
        yield Problem("code", "bad_code", f"must be the {CODE_DIGITS} digits of the mail")


def typed_code(code: str) -> str:
    """Return a code without the blanks and dashes that people type."""
    return re.sub(r"[\s-]", "", code)


def hash_of_code(token: str, code: str) -> bytes:
    return hmac.digest(token.encode(), typed_code(code).encode(), "sha256")


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """What is kept of a signature made on the page."""

    link_id: uuid.UUID
    quote_id: uuid.UUID
    document_id: uuid.UUID
    name: str
    title: str
    email: str
    address: str
    agent: str
    signed_at: datetime
    version: int
    consent: str
    consent_sha256: str
    shown_sha256: str
    signed_sha256: str = ""
    certificate_sha256: str = ""
    is_stamped: bool = False
    """Whether a time-stamp server vouches for the time of the seal."""


def judge_signed_here(pages: int) -> JudgedUpload:
    """Return the verdict on an application that was signed on our own page."""
    return JudgedUpload(
        UploadFinding.MATCHED,
        "This is the application that was issued with the quote. It was signed electronically.",
        SignatureFinding.FOUND,
        PagesSeen(tuple(range(1, pages + 1)), 0, pages) if pages else None,
        signed_electronically=True,
    )


def open_signature(owed: Sequence[Contingency]) -> Contingency | None:
    return next((contingency for contingency in owed if contingency.is_signature), None)
