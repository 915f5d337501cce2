"""Signing the application on the client's page."""

import hmac
from dataclasses import dataclass, replace
from datetime import datetime

import structlog

from bindery.actions.documents.gather_facts import renew_documents
from bindery.actions.documents.make_document import make_document
from bindery.actions.documents.write_mails import gather_mail_facts, write_mails
from bindery.actions.policy.settle_signature import settle_signature
from bindery.actions.quote.advance_quote import advance_quote, lock_quote, note_receipt
from bindery.actions.signing.find_link import ClientVisit, find_link, find_standing
from bindery.actions.signing.make_signed_pdf import SignedPdf, make_signed_pdf
from bindery.base.errors import BinderyError, InvalidRequest
from bindery.contract.documents import DocumentType
from bindery.contract.event_details import SignatureRequestSigned
from bindery.domain.business_rules import BusinessRules
from bindery.domain.documents.file_types import PaperType
from bindery.domain.messages.signing_mails import signed_mails
from bindery.domain.policy.evidence import PageSignature
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import Quote
from bindery.domain.signing.client_link import (
    MOST_TRIES_OF_AN_ADDRESS,
    ClientLink,
    LinkEnded,
    LinkPurpose,
    LinkStatus,
    TooManyTries,
)
from bindery.domain.signing.signing import (
    CONSENT,
    NoLonger,
    ShownTerms,
    Signature,
    Signer,
    TermsNoLongerHold,
    hash_of_code,
    hash_of_text,
    judge_signed_here,
    problems_of_signer,
    why_not_signable,
)
from bindery.outside.blobs import Blob
from bindery.runtime import Runtime
from bindery.storage.database import Database, Reader, Tx
from bindery.storage.documents import uploads
from bindery.storage.documents.uploads import Upload
from bindery.storage.policy import policies
from bindery.storage.quote import quotes
from bindery.storage.signing import client_links, link_limits, signatures, signing_codes

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class SignAsk:
    """What a client sends to sign; `shown` is what the page showed."""

    token: str
    visit: ClientVisit
    shown: ShownTerms
    signer: Signer


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedLink:
    """A signature; `is_issued` says that the policy was issued with it or since."""

    link: ClientLink
    signature: Signature
    is_issued: bool


async def sign_application(runtime: Runtime, ask: SignAsk) -> SignedLink:
    """Sign the application by the link of a client: check, make the PDF, then keep all of it at once.

    The code is compared in a transaction of its own, so that a wrong one counts whatever happens next, and
    used up with the signature. A crash before that leaves a stored file that nothing refers to, and the code
    still works. Signing twice returns the one signature.

    Raises:
        LinkEnded: the link does not work.
        InvalidRequest: something is missing or wrong in the form, or the code is; all of it is listed.
        TermsNoLongerHold: what the page showed does not hold any more; nothing was signed.
        TooManyTries: too many codes were tried from this address.
    """
    found = await find_link(runtime.database, ask.token, ask.visit)
    if found.purpose is LinkPurpose.ANSWERS:
        raise LinkEnded
    if found.status is LinkStatus.SIGNED:
        async with runtime.database.reading() as tx:
            return await _signed(tx, found)
    signed_at = await _check(runtime.database, found, ask)
    application = await make_document(runtime, found.subject, DocumentType.APPLICATION)
    signature = Signature(
        link_id=found.link_id,
        quote_id=found.subject,
        # A link is signed once, so that its file can have its name.
        document_id=found.link_id,
        name=ask.signer.name.strip(),
        title=ask.signer.title.strip(),
        email=found.email,
        address=ask.visit.address,
        agent=ask.visit.agent_kept,
        signed_at=signed_at,
        version=ask.shown.version,
        consent=CONSENT,
        consent_sha256=hash_of_text(CONSENT),
        shown_sha256=application.sha256,
    )
    pdf = await make_signed_pdf(runtime, found, signature, application)
    blob = await runtime.blobs.put(pdf.content)
    rules = runtime.rules
    async with runtime.database.transaction() as tx:
        return await _keep(tx, rules, ask, _with_file(signature, pdf, blob), pdf, blob)


def _with_file(signature: Signature, pdf: SignedPdf, blob: Blob) -> Signature:
    return replace(
        signature,
        signed_sha256=blob.sha256,
        certificate_sha256=pdf.certificate_sha256,
        is_stamped=pdf.is_stamped,
    )


async def _check(database: Database, found: ClientLink, ask: SignAsk) -> datetime:
    """Check everything before the PDF is made, the code last; return the time of the signature."""
    if problems := [*problems_of_signer(ask.signer)]:
        raise InvalidRequest.because(problems)
    async with database.transaction() as tx:
        fault = await _fault(tx, found, ask)
    if fault is not None:
        # After the commit: a wrong code is counted.
        raise fault
    return tx.now


async def _fault(tx: Tx, found: ClientLink, ask: SignAsk) -> BinderyError | None:
    standing = await find_standing(tx, await quotes.get(tx, found.subject))
    if (why := why_not_signable(standing, ask.shown)) is not None:
        return why
    tried_by = {f"client link code tried by {ask.visit.address}": MOST_TRIES_OF_AN_ADDRESS}
    if not await link_limits.spend(tx, tried_by):
        return TooManyTries("Too many codes were tried.")
    kept = await signing_codes.spend(tx, found.link_id)
    if kept is None:
        return _code_over()
    if not hmac.compare_digest(kept.code_sha256, hash_of_code(ask.token, ask.signer.code)):
        log.warning("signing_code_failed", signature_request_id=str(found.link_id), address=ask.visit.address)
        return InvalidRequest.at("code", "wrong_code", "is not the code of the last mail")
    await signing_codes.give_back(tx, found.link_id)
    return None


def _code_over() -> InvalidRequest:
    return InvalidRequest.at("code", "code_over", "does not work any more: have a new one mailed")


async def _keep(
    tx: Tx, rules: BusinessRules, ask: SignAsk, signature: Signature, pdf: SignedPdf, blob: Blob
) -> SignedLink:
    """Keep the signature with its file, and what follows from it; the world may have moved meanwhile."""
    quote = await lock_quote(tx, signature.quote_id)
    link = await client_links.lock(tx, signature.link_id)
    if link.status is LinkStatus.SIGNED:
        # Two presses of one button: the first has signed.
        return await _signed(tx, link)
    if not link.works_at(tx.now) or not link.is_waiting:
        raise LinkEnded
    if link.quote_id != quote.quote_id:
        raise TermsNoLongerHold(
            NoLonger.CHANGED, "Another option was chosen meanwhile. Nothing was signed: please read it first."
        )
    standing = await find_standing(tx, quote)
    if (why := why_not_signable(standing, ask.shown)) is not None:
        raise why
    if not await signing_codes.use(tx, link.link_id, hash_of_code(ask.token, ask.signer.code)):
        raise _code_over()
    if not await client_links.move(tx, link.link_id, LinkStatus.SIGNED, read_version=ask.shown.version):
        raise TermsNoLongerHold(NoLonger.CHANGED, "The terms of this offer have changed. Nothing was signed.")
    assert standing.signature is not None, "a signature is owed"
    await _add_upload(tx, link, signature, pdf, blob, contingency_id=int(standing.signature.contingency_id))
    said = SignatureRequestSigned(
        signature_request_id=str(link.link_id),
        email=link.email,
        name=signature.name,
        title=signature.title,
        document_id=str(signature.document_id),
        sha256=signature.signed_sha256,
    )
    quote = await advance_quote(tx, quote, Trigger.SIGN_APPLICATION, actor=link.actor, said=said)
    on_page = PageSignature(signature.name, signature.signed_at)
    await settle_signature(tx, rules, quote, on_page, actor=link.actor)
    await renew_documents(tx, rules, [quote.quote_id])
    signed = await _signed(tx, await client_links.get(tx, link.link_id))
    await _mail(tx, rules, quote, signed)
    return signed


async def _add_upload(
    tx: Tx, link: ClientLink, signature: Signature, pdf: SignedPdf, blob: Blob, *, contingency_id: int
) -> None:
    await uploads.add(
        tx,
        Upload(
            document_id=signature.document_id,
            quote_id=signature.quote_id,
            contingency_id=contingency_id,
            name="signed_application.pdf",
            content_type=PaperType.PDF,
            size=blob.size,
            sha256=blob.sha256,
            uploaded_at=tx.now,
            uploaded_by=link.actor,
            finding=judge_signed_here(pdf.pages),
        ),
    )
    await signatures.add(tx, signature)
    await note_receipt(tx, signature.quote_id)


async def _mail(tx: Tx, rules: BusinessRules, quote: Quote, signed: SignedLink) -> None:
    facts = await gather_mail_facts(tx, rules, quote)
    written = signed_mails(facts, signed.link, signed.signature, is_issued=signed.is_issued, zone=rules.zone)
    await write_mails(tx, quote.quote_id, written)


async def _signed(tx: Reader, link: ClientLink) -> SignedLink:
    signature = await signatures.find(tx, link.link_id)
    assert signature is not None, "a link is signed with its signature"
    policy = await policies.find(tx, link.subject)
    return SignedLink(link=link, signature=signature, is_issued=policy is not None and policy.is_issued)
