"""Finding what a document is made of: its version, and the facts that were frozen for it."""

import uuid
from dataclasses import dataclass

from bindery.actions.documents.gather_facts import find_comparison, gather_facts
from bindery.contract.documents import DocumentType
from bindery.domain.business_rules import BusinessRules
from bindery.domain.documents.access import FROZEN_WITH
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.documents.notices import NOTICES
from bindery.storage.database import Reader
from bindery.storage.documents import packets
from bindery.storage.documents.packets import FoundPacket
from bindery.storage.policy import notices
from bindery.storage.quote import quotes

FIRST = 1
"""The version of everything that is said once."""


@dataclass(frozen=True, slots=True)
class Issue:
    """What one version of a document is made of; `packet` is None if none was frozen for it."""

    facts: DocumentFacts
    packet: FoundPacket | None = None


async def newest_version(tx: Reader, quote_id: uuid.UUID, kind: DocumentType) -> int:
    """Return the newest version that there is of a document, made or not.

    A notice has a version for each time that it was written. The version of a comparison is how many options
    are on it, so that an option that is offered later brings a new one.
    """
    if kind in NOTICES:
        return await notices.newest_version(tx, quote_id, kind)
    if kind is DocumentType.COMPARISON:
        return await packets.offered_count(tx, quote_id)
    return FIRST


async def find_issue(
    tx: Reader, rules: BusinessRules, quote_id: uuid.UUID, kind: DocumentType, version: int
) -> Issue:
    """Find what a version of a document is made of; today's facts where none were frozen."""
    if kind in NOTICES:
        notice = await notices.find(tx, quote_id, kind, version)
        assert notice is not None, "a notice is asked for once it was written"
        return Issue(notice)
    if kind is DocumentType.COMPARISON:
        return Issue(await find_comparison(tx, rules, quote_id, version))
    packet = await packets.find(tx, quote_id, FROZEN_WITH[kind])
    if packet is not None:
        return Issue(packet.facts, packet)
    return Issue(await gather_facts(tx, rules, await quotes.get(tx, quote_id)))
