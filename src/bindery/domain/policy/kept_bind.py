"""Checks that a bind has everything that belongs to it: its events, documents and mails."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass

from bindery.contract.documents import DocumentType, PacketType
from bindery.domain.documents.access import documents_of


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptBind:
    """A bind that has had a policy number, with how often it was told and what is kept of it.

    `is_finished` says that its papers were made. `is_mailed` is whether brokers were written to, or want no
    such mail.
    """

    quote_id: uuid.UUID
    policy_number: str
    is_issued: bool
    is_finished: bool
    bound_told: int
    issued_told: int
    packets: frozenset[PacketType]
    documents: frozenset[DocumentType]
    is_mailed: bool


def flaws_of_bind(bind: KeptBind) -> Iterator[str]:
    if bind.bound_told != 1:
        yield f"policy.bound is in its journal {_times(bind.bound_told)}"
    if bind.issued_told != bind.is_issued:
        yield f"policy.issued is in its journal {_times(bind.issued_told)}"
    if not bind.is_mailed:
        yield "nobody was written to about it"
    wanted = [PacketType.BINDER, PacketType.POLICY] if bind.is_issued else [PacketType.BINDER]
    for packet in wanted:
        if packet not in bind.packets:
            yield f"nothing was frozen for its {packet} documents"
        elif bind.is_finished:
            for kind in documents_of(packet, has_report=False):
                if kind not in bind.documents:
                    yield f"its {kind} was never made"


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")
