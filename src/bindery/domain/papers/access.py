"""Which documents of a quote can be had in which status."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from bindery.base.errors import NotFound, NotIssued, WrongState
from bindery.contract.documents import DocumentType, PacketType
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.products import ProductRecord, record_of
from bindery.domain.quote.quote import Quote

S = QuoteStatus
D = DocumentType

OF_THE_APPLICANT: Final = (D.APPLICATION, D.RECOMMENDATIONS)
OF_THE_QUOTE: Final = (D.QUOTE_LETTER, D.POLICY_SPECIMEN, D.SECURITY_REPORT)
OF_THE_BINDER: Final = (D.BINDER, D.BINDER_TRIA, D.BILLING_STATEMENT, D.SECURITY_LETTER)
OF_THE_POLICY: Final = (D.POLICY,)

DECIDED_AGAINST: Final = (S.QUOTE_REFERRED, S.QUOTE_DECLINED, S.QUOTE_REVOKED, S.STALE)
OFFERED: Final = (
    S.PUBLISHED,
    S.OFFER_EMAIL,
    S.QUOTE_EXPIRED,
    S.QUOTE_BIND_REQUESTED,
    S.QUOTE_NOT_BOUND,
)
BOUND: Final = (S.POLICY_ACTIVE, S.POLICY_CANCELED, S.POLICY_EXPIRED)

BY_STATUS: Final[Mapping[QuoteStatus, tuple[DocumentType, ...]]] = {
    **dict.fromkeys(DECIDED_AGAINST, OF_THE_APPLICANT),
    **dict.fromkeys(OFFERED, (*OF_THE_APPLICANT, *OF_THE_QUOTE)),
    **dict.fromkeys(BOUND, (*OF_THE_APPLICANT, *OF_THE_QUOTE, *OF_THE_BINDER, *OF_THE_POLICY)),
}
"""The table; a status of the pipeline has none. What a quote lacks by its own course is taken off below."""

OF_PACKET: Final[Mapping[PacketType, tuple[DocumentType, ...]]] = {
    PacketType.QUOTE: (*OF_THE_APPLICANT, *OF_THE_QUOTE),
    PacketType.BINDER: OF_THE_BINDER,
    PacketType.POLICY: OF_THE_POLICY,
}
"""The documents whose facts are frozen together: with the offer, the bind and the issuance."""

FROZEN_WITH: Final[Mapping[DocumentType, PacketType]] = {
    kind: packet for packet, kinds in OF_PACKET.items() for kind in kinds
}


def documents_of(packet: PacketType, *, has_report: bool) -> tuple[DocumentType, ...]:
    """List the documents of a packet in the order of their kinds; only what was scanned has a report."""
    return tuple(
        kind
        for kind in DocumentType
        if kind in OF_PACKET[packet] and (has_report or kind is not D.SECURITY_REPORT)
    )


def may_be_asked_for(packet: PacketType, status: QuoteStatus) -> bool:
    """Whether a quote in this status still has all documents of a packet."""
    return set(OF_PACKET[packet]) <= set(BY_STATUS.get(status, ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """What came of a quote, as far as its documents depend on it.

    `published` is false for a referral that was passed over, `issued` for a conditional binder, `scanned`
    where there was nothing to look at from outside. `owed` are the texts of the open contingencies.
    """

    product: InsuranceProduct
    status: QuoteStatus
    published: bool
    issued: bool
    scanned: bool
    owed: tuple[str, ...] = ()
    fulfil_by: date | None = None


def course_of(
    quote: Quote,
    *,
    is_issued: bool,
    is_scanned: bool,
    owed: Iterable[str] = (),
    fulfil_by: date | None = None,
) -> Course:
    """Return what came of a quote; one that was ever open has a last day."""
    return Course(
        product=quote.product,
        status=quote.status,
        published=quote.expires_on is not None,
        issued=is_issued,
        scanned=is_scanned,
        owed=tuple(owed),
        fulfil_by=fulfil_by,
    )


def available_documents(course: Course) -> tuple[DocumentType, ...]:
    """List the documents that can be had, in the order of their kinds."""
    return tuple(
        kind for kind in DocumentType if kind in BY_STATUS.get(course.status, ()) and not _lacks(kind, course)
    )


def statuses_with(kind: DocumentType) -> tuple[QuoteStatus, ...]:
    """List the statuses in which a document can be had."""
    return tuple(status for status in QuoteStatus if kind in BY_STATUS.get(status, ()))


def check_available(kind: DocumentType, course: Course) -> None:
    """Refuse a document that a quote does not have.

    Raises:
        WrongState: its status has no such document.
        NotIssued: it is the policy of a conditional binder.
        NotFound: its status would, but nothing was scanned.
    """
    if kind not in BY_STATUS.get(course.status, ()):
        message = f"A quote that is {course.status} has no {_in_words(kind)}."
        raise WrongState(message, status=course.status, available_statuses=statuses_with(kind))
    why = _lacks(kind, course)
    if kind is D.SECURITY_REPORT and why and course.published:
        raise NotFound(why, code="no_scan")
    if why and kind in OF_THE_POLICY:
        raise NotIssued(why)
    if why:
        raise WrongState(why, status=course.status, available_statuses=statuses_with(kind))


def _lacks(kind: DocumentType, course: Course) -> str:
    """Return why this quote has no such document though others in its status do; empty when it has one."""
    if kind in OF_THE_QUOTE and not course.published:
        return f"The quote was never published, so it has no {_in_words(kind)}."
    if kind is D.SECURITY_REPORT and not course.scanned:
        return _without_scan(record_of(course.product))
    if kind in OF_THE_POLICY and not course.issued:
        return _not_issued(course)
    return ""


def _not_issued(course: Course) -> str:
    if course.status is not S.POLICY_ACTIVE:
        return "The policy was never issued: its conditional binder ended before it was fulfilled."
    return (
        f"The policy is issued once the conditional binder is fulfilled, by {course.fulfil_by}. "
        f"Still owed: {'; '.join(course.owed)}."
    )


def _without_scan(product: ProductRecord) -> str:
    if product.is_scanned:
        return "There is no security report: no domain of the applicant could be scanned."
    return f"There is no security report: nothing is scanned for {product.line}."


def _in_words(kind: DocumentType) -> str:
    return kind.replace("_", " ")
