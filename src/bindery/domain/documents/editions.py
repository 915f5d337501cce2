"""When a document says something that no longer holds, so that it gets another version."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from bindery.contract.documents import DocumentType, PacketType
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.documents.facts import Binding, OptionFacts
from bindery.domain.quote.lifecycle import BINDABLE

D = DocumentType

_OF_A_BIND: Final = (D.BINDER, D.BILLING_STATEMENT, D.SECURITY_LETTER)
RENEWED_IN: Final[Mapping[QuoteStatus, tuple[PacketType, tuple[DocumentType, ...]]]] = {
    **dict.fromkeys(BINDABLE, (PacketType.QUOTE, (D.QUOTE_LETTER,))),
    **dict.fromkeys(
        (QuoteStatus.POLICY_ACTIVE, QuoteStatus.POLICY_CANCELED), (PacketType.BINDER, _OF_A_BIND)
    ),
}
"""The documents that follow changes in each status; all others stay as they were first issued.

The letter of an offer that was bound or is over stays as it was: it is what was offered.
"""
RENEWABLE: Final = frozenset({D.QUOTE_LETTER, *_OF_A_BIND})


@dataclass(frozen=True, slots=True)
class Edition:
    version: int
    facts: OptionFacts


def is_outdated(kind: DocumentType, frozen: OptionFacts, now: OptionFacts) -> bool:
    return _said_in(kind, frozen) != _said_in(kind, now)


def next_edition(before: Edition, now: OptionFacts) -> OptionFacts:
    return replace(now, version=before.version + 1, replaces=before.facts.issued_on)


def _said_in(kind: DocumentType, facts: OptionFacts) -> object:
    match kind:
        case D.QUOTE_LETTER:
            return (facts.offer, facts.terms, facts.contingencies, facts.period, facts.valid_until)
        case D.BILLING_STATEMENT:
            bind = facts.binding
            return _lapses_on(bind), bind.canceled_from if bind else None
        case _:
            # Nothing is owed for what is bound without conditions, whatever was frozen with it.
            lapses_on = _lapses_on(facts.binding)
            return lapses_on, facts.contingencies if lapses_on else ()


def _lapses_on(bind: Binding | None) -> object:
    return bind.fulfil_by if bind is not None and bind.issued_on is None else None
