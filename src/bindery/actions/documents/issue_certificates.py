"""Issuing certificates for holders; their files are made when somebody asks for them, like every document."""

import uuid
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from functools import partial

from bindery.actions.documents.gather_facts import gather_facts
from bindery.actions.documents.make_document import put_back
from bindery.actions.documents.read_document import read_made
from bindery.actions.quote.advance_quote import advance_quote, lock_quote
from bindery.base.errors import NotFound
from bindery.contract.documents import DocumentType
from bindery.domain.access.caller import Caller
from bindery.domain.business_rules import BusinessRules
from bindery.domain.documents.facts import write_facts
from bindery.domain.documents.holders import (
    Holder,
    HolderFacts,
    certificates_issued,
    check_certifiable,
    content_hash,
    holder_facts,
    without_unshown,
)
from bindery.domain.quote.lifecycle import Trigger
from bindery.runtime import Runtime
from bindery.storage.database import Database
from bindery.storage.documents import certificates
from bindery.storage.documents.certificates import CertificateIssue, IssuedCertificate
from bindery.storage.quote import quote_view


@dataclass(frozen=True, slots=True)
class CertificatesAtHand:
    """Certificates that were asked for; `is_new` unless the same had been issued before on that day."""

    issue: CertificateIssue
    is_new: bool


async def issue_certificates(
    database: Database,
    rules: BusinessRules,
    caller: Caller,
    quote_id: uuid.UUID,
    holders: Sequence[Holder],
) -> CertificatesAtHand:
    """Issue a certificate to each holder, all or none.

    The same facts for the same holders are the same papers: asked for again, by a second press or by a
    colleague, nothing more is issued.

    Raises:
        NotFound: the partner has no such quote.
        WrongState: it is no policy, or one that has ended.
    """
    async with database.transaction() as tx:
        # Locked, so that nothing ends the policy meanwhile and nobody takes the same numbers.
        quote = await lock_quote(tx, quote_id)
        seen = await quote_view.see(tx, quote_id, partner_id=caller.partner_id)
        if seen is None:
            raise NotFound("There is no such quote.")
        check_certifiable(seen.document_state_today, seen.policy_number)
        facts = write_facts(without_unshown(await gather_facts(tx, rules, quote)))
        content = content_hash(facts, holders)
        before = await certificates.find_same(tx, quote_id, content_sha256=content)
        if before is not None:
            return CertificatesAtHand(before, is_new=False)
        issued = await certificates.issue(
            tx, quote_id, holders, issued_by=caller.actor, facts=facts, content_sha256=content
        )
        said = certificates_issued(holders)
        await advance_quote(tx, quote, Trigger.ISSUE_CERTIFICATES, actor=caller.actor, said=said)
        return CertificatesAtHand(issued, is_new=True)


async def read_certificates(
    runtime: Runtime, issued: Sequence[IssuedCertificate], *, partner_id: int
) -> AsyncIterator[bytes]:
    """Return the PDFs of certificates of one issue, making those that nobody has asked for before.

    What was made first stays. The partner waits its turn for each of them.

    Raises:
        QueueFull: too many documents are being made.
        DocumentUnavailable: a file is lost, and cannot be made again.
    """
    async with runtime.database.reading() as tx:
        facts = await certificates.facts_of(tx, issued[0].issue_id)
    turns = runtime.document_turns
    for certificate in issued:
        shown = holder_facts(facts, certificate, certificate.number)
        sha256 = certificate.sha256
        if sha256 is None:
            with turns.admitted(partner_id):
                async with turns.turn(partner_id):
                    sha256 = await _make(runtime, certificate, shown)
        about = {
            "quote_identifier": str(certificate.quote_id),
            "document": DocumentType.CERTIFICATE,
            "number": certificate.number,
            "sha256": sha256,
        }
        make_again = partial(put_back, runtime, DocumentType.CERTIFICATE, shown, sha256=sha256)
        yield await read_made(runtime, sha256, about=about, make_again=make_again)


async def _make(runtime: Runtime, certificate: IssuedCertificate, facts: HolderFacts) -> str:
    blob = await runtime.blobs.put(await runtime.presses.typeset(DocumentType.CERTIFICATE, facts))
    async with runtime.database.transaction() as tx:
        return await certificates.keep_file(tx, certificate, sha256=blob.sha256)
