from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from bindery.base.errors import NotFound, NotIssued, WrongState
from bindery.contract.documents import DocumentType, PacketType
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.documents.notices import NOTICES
from bindery.domain.products import ProductRecord, record_of
from bindery.domain.quote.quote import Quote

S = QuoteStatus
D = DocumentType

OF_THE_APPLICANT: Final = (D.APPLICATION, D.RECOMMENDATIONS)
OF_THE_QUOTE: Final = (D.QUOTE_LETTER, D.POLICY_SPECIMEN, D.SECURITY_REPORT)
OF_THE_BINDER: Final = (D.BINDER, D.BINDER_TRIA, D.BILLING_STATEMENT, D.SECURITY_LETTER)
OF_THE_POLICY: Final = (D.POLICY,)
IN_FORCE: Final = (D.CERTIFICATE,)
LASTING_NOTICES: Final = (D.CANCELLATION_NOTICE, D.REINSTATEMENT_NOTICE)
"""These notices stay: a reinstated policy can be canceled again, end with its term or, as a binder, lapse."""
OF_AN_ISSUED_POLICY: Final = (D.NONRENEWAL_NOTICE, D.ENDORSEMENT)

DECIDED_AGAINST: Final = (S.QUOTE_REFERRED, S.QUOTE_DECLINED, S.QUOTE_REVOKED, S.STALE)
OFFERED: Final = (
    S.PUBLISHED,
    S.OFFER_EMAIL,
    S.QUOTE_EXPIRED,
    S.QUOTE_BIND_REQUESTED,
    S.QUOTE_NOT_BOUND,
)
BOUND: Final = (S.POLICY_ACTIVE, S.POLICY_CANCELED, S.POLICY_EXPIRED)

_OF_AN_OFFER: Final = (*OF_THE_APPLICANT, *OF_THE_QUOTE, D.COMPARISON)
_OF_A_BIND: Final = (
    *_OF_AN_OFFER,
    *OF_THE_BINDER,
    *OF_THE_POLICY,
    *LASTING_NOTICES,
    *OF_AN_ISSUED_POLICY,
)

BY_STATUS: Final[Mapping[QuoteStatus, tuple[DocumentType, ...]]] = {
    **dict.fromkeys(DECIDED_AGAINST, OF_THE_APPLICANT),
    **dict.fromkeys(OFFERED, _OF_AN_OFFER),
    **dict.fromkeys(BOUND, _OF_A_BIND),
    S.QUOTE_EXPIRED: (*_OF_AN_OFFER, *LASTING_NOTICES, D.LAPSE_NOTICE),
    S.POLICY_ACTIVE: (*_OF_A_BIND, *IN_FORCE),
}
"""A status of the pipeline has no documents. `_lacks` removes those that a single quote does not have."""

OF_PACKET: Final[Mapping[PacketType, tuple[DocumentType, ...]]] = {
    PacketType.QUOTE: (*OF_THE_APPLICANT, *OF_THE_QUOTE),
    PacketType.BINDER: OF_THE_BINDER,
    PacketType.POLICY: OF_THE_POLICY,
}
"""Documents that are made together, ahead or on request, and announced when all are there."""

FROZEN_WITH: Final[Mapping[DocumentType, PacketType]] = {
    **{kind: packet for packet, kinds in OF_PACKET.items() for kind in kinds},
    D.CERTIFICATE: PacketType.POLICY,
}
"""The packet that a document is frozen with; a notice freezes with its event, a comparison not at all."""


def documents_of(packet: PacketType, *, has_report: bool) -> tuple[DocumentType, ...]:
    return tuple(
        kind
        for kind in DocumentType
        if kind in OF_PACKET[packet] and (has_report or kind is not D.SECURITY_REPORT)
    )


def may_be_asked_for(packet: PacketType, status: QuoteStatus) -> bool:
    return set(OF_PACKET[packet]) <= set(BY_STATUS.get(status, ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentState:
    """The state of a quote, as far as its documents depend on it.

    `published` is false for a referral that was passed over, `issued` for a binder, `scanned`
    where there was nothing to scan. `owed` are the texts of the open contingencies, `notices` those that were
    written. `lapsing` is a lapsed binder whose notice is not written yet.
    """

    product: InsuranceProduct
    status: QuoteStatus
    published: bool
    issued: bool
    scanned: bool
    owed: tuple[str, ...] = ()
    fulfil_by: date | None = None
    expiration: date | None = None
    notices: frozenset[DocumentType] = frozenset()
    lapsing: bool = False


def document_state_of(
    quote: Quote,
    *,
    is_issued: bool,
    is_scanned: bool,
    owed: Iterable[str] = (),
    fulfil_by: date | None = None,
    expiration: date | None = None,
    notices: Iterable[DocumentType] = (),
) -> DocumentState:
    return DocumentState(
        product=quote.product,
        status=quote.status,
        published=quote.expires_on is not None,
        issued=is_issued,
        scanned=is_scanned,
        owed=tuple(owed),
        fulfil_by=fulfil_by,
        expiration=expiration,
        notices=frozenset(notices),
    )


def as_of(state: DocumentState, today: date) -> DocumentState:
    """Return the state of cover on a day: its status changes some minutes after the cover has ended."""
    if state.status is not S.POLICY_ACTIVE:
        return state
    if not state.issued and state.fulfil_by is not None and state.fulfil_by < today:
        return replace(state, status=S.QUOTE_EXPIRED, lapsing=True)
    if state.issued and state.expiration is not None and state.expiration <= today:
        return replace(state, status=S.POLICY_EXPIRED)
    return state


def available_documents(state: DocumentState) -> tuple[DocumentType, ...]:
    return tuple(
        kind for kind in DocumentType if kind in BY_STATUS.get(state.status, ()) and not _lacks(kind, state)
    )


def statuses_with(kind: DocumentType) -> tuple[QuoteStatus, ...]:
    return tuple(status for status in QuoteStatus if kind in BY_STATUS.get(status, ()))


def check_available(kind: DocumentType, state: DocumentState) -> None:
    if kind not in BY_STATUS.get(state.status, ()):
        message = _no_longer(kind, state) or f"A quote that is {state.status} has no {_in_words(kind)}."
        raise WrongState(message, status=state.status, available_statuses=statuses_with(kind))
    why = _lacks(kind, state)
    if kind is D.SECURITY_REPORT and why and state.published:
        raise NotFound(why, code="no_scan")
    if why and kind in (*OF_THE_POLICY, *IN_FORCE):
        raise NotIssued(why)
    if why:
        raise WrongState(why, status=state.status, available_statuses=statuses_with(kind))


def check_version(kind: DocumentType, version: int, *, newest: int) -> None:
    if version <= newest:
        return
    there_are = "there is only version 1" if newest == 1 else f"there are versions 1 to {newest}"
    message = f"There is no version {version} of this {_in_words(kind)}: {there_are}."
    raise NotFound(message, code="no_such_version")


def _no_longer(kind: DocumentType, state: DocumentState) -> str:
    """Return why a document of a lapsed binder is no longer available: it would look in force."""
    if kind not in OF_THE_BINDER or not (state.lapsing or D.LAPSE_NOTICE in state.notices):
        return ""
    return (
        f"The binder has lapsed and counts as never in force, so its {_in_words(kind)} can no "
        f"longer be downloaded. The {D.LAPSE_NOTICE} says what was missing."
    )


def _lacks(kind: DocumentType, state: DocumentState) -> str:
    """Return why this quote has no such document though others in its status do; empty when it has one."""
    if kind in (*OF_THE_QUOTE, D.COMPARISON) and not state.published:
        return f"The quote was never published, so it has no {_in_words(kind)}."
    if kind is D.SECURITY_REPORT and not state.scanned:
        return _without_scan(record_of(state.product))
    if kind in (*OF_THE_POLICY, *IN_FORCE) and not state.issued:
        return _not_issued(state)
    if kind is D.LAPSE_NOTICE and state.lapsing:
        return "The binder has lapsed; its notice is being written. Please try again in a minute."
    if kind in NOTICES and kind not in state.notices:
        return f"No {_in_words(kind)} was written for this quote."
    return ""


def _not_issued(state: DocumentState) -> str:
    if state.status is not S.POLICY_ACTIVE:
        return "The policy was never issued: its binder ended before it was fulfilled."
    return (
        f"The policy is issued once the binder is fulfilled, by {state.fulfil_by}. "
        f"Still owed: {'; '.join(state.owed)}."
    )


def _without_scan(product: ProductRecord) -> str:
    if D.SECURITY_REPORT in product.documents:
        return "There is no security report: no domain of the applicant could be scanned."
    return f"There is no security report: nothing is scanned for {product.line}."


def _in_words(kind: DocumentType) -> str:
    return kind.replace("_", " ")
