"""What the notices about a policy tell: that it was canceled, that a binder lapsed, that cover is back."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final, TypeAlias

import msgspec

from bindery.contract.documents import DocumentType
from bindery.domain.documents.facts import DocumentFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class Canceled:
    """A cancellation: `on` is the day of the notice, `effective` the day from which there is no cover."""

    on: date
    effective: date
    reason: str
    returned_premium: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Lapsed:
    """A conditional binder that was not fulfilled by its last day."""

    on: date
    fulfil_by: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Reinstated:
    """A cancellation that was undone; `canceled_from` and `returned_premium` are what it said."""

    on: date
    reason: str
    canceled_from: date
    returned_premium: int


PolicyEvent: TypeAlias = Canceled | Lapsed | Reinstated

NOTICE_OF: Final[Mapping[type[PolicyEvent], DocumentType]] = {
    Canceled: DocumentType.CANCELLATION_NOTICE,
    Lapsed: DocumentType.LAPSE_NOTICE,
    Reinstated: DocumentType.REINSTATEMENT_NOTICE,
}
NOTICES: Final = frozenset(NOTICE_OF.values())

_DECODERS: Final = {kind: msgspec.json.Decoder(event) for event, kind in NOTICE_OF.items()}


@dataclass(frozen=True, kw_only=True)
class NoticeFacts(DocumentFacts):
    """Everything that a notice shows: the quote as it was then, and what happened to its policy."""

    event: PolicyEvent


def notice_facts(facts: DocumentFacts, event: PolicyEvent) -> NoticeFacts:
    """Add what happened to the facts of a quote."""
    return NoticeFacts(**vars(facts), event=event)


def write_event(event: PolicyEvent) -> str:
    """Write an event as the JSON text that is stored."""
    return msgspec.json.encode(event).decode()


def read_event(kind: DocumentType, text: str) -> PolicyEvent:
    """Read the event that a kind of notice is about."""
    return _DECODERS[kind].decode(text)
