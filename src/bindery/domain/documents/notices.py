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
    on: date
    fulfil_by: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Reinstated:
    """A cancellation that was undone; `canceled_from` and `returned_premium` are from its notice."""

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
    event: PolicyEvent


def notice_facts(facts: DocumentFacts, event: PolicyEvent) -> NoticeFacts:
    return NoticeFacts(**vars(facts), event=event)


def write_event(event: PolicyEvent) -> str:
    return msgspec.json.encode(event).decode()


def read_event(kind: DocumentType, text: str) -> PolicyEvent:
    return _DECODERS[kind].decode(text)
