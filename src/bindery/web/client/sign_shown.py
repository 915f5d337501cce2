"""What a client sees who signs: the application with everything that is signed for, and how it ended."""

from dataclasses import dataclass

from bindery.contract.documents import DocumentType
from bindery.documents.application import PrintedAnswer, acknowledgment, shown_answers, statements
from bindery.documents.layout import notice_content
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.signing.client_link import ClientLink
from bindery.domain.signing.signing import AUTHORITY, CODE_LASTS, CONSENT, Signature
from bindery.web.client.client_shown import ClientOption, ClientPage, frame_of, papers_of, refusal_of
from bindery.web.shown.option import ShownDocument, shown_number
from bindery.web.shown.words import Times, cents


@dataclass(frozen=True, slots=True, kw_only=True)
class SignPage(ClientPage):
    strong: str
    sentence: str
    notice: str
    may_sign: bool
    shown: str
    application: str
    applicant: tuple[tuple[str, str], ...]
    answers: tuple[PrintedAnswer, ...]
    declarations: tuple[str, ...]
    fraud: tuple[str, ...]
    notice_of_state: tuple[str, ...]
    state: str
    attestation: tuple[str, ...]
    acknowledgment: str
    authority: str = AUTHORITY
    consent: str = CONSENT
    code_minutes: int = int(CODE_LASTS.total_seconds()) // 60


@dataclass(frozen=True, slots=True, kw_only=True)
class DonePage(ClientPage):
    said: str
    facts: tuple[tuple[str, str], ...]
    next: tuple[str, ...]
    papers: tuple[ShownDocument, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SignForm:
    """What was typed so far; the code is shown in the demo alone."""

    name: str = ""
    title: str = ""
    is_authorized: bool = False
    has_consented: bool = False
    acknowledged: bool = False
    code: str = ""
    is_code_sent: bool = False
    demo_code: str = ""


def sign_page(
    link: ClientLink,
    option: ClientOption,
    facts: DocumentFacts,
    *,
    address: str,
    form_token: str,
    changed: str = "",
) -> SignPage:
    """Show the application with everything that is signed for; `changed` is what is new since it was read."""
    refusal = refusal_of(option)
    body, said = option.body, statements(facts)
    number = shown_number(option.record.quote.option_number)
    state = notice_content(facts) if facts.notice.at_application else None
    return SignPage(
        **frame_of(link, facts, address=address, form_token=form_token),
        strong=f"For {facts.insured.name}, option {number}: {cents(body.total)}.",
        sentence="Please check every answer first. If one is not true, do not sign.",
        notice=changed or refusal,
        may_sign=link.is_waiting and not refusal,
        shown=str(option.standing.terms),
        application=f"{address}/paper/{option.record.quote.quote_id}/{DocumentType.APPLICATION}",
        applicant=tuple(
            (label, text.replace("\n", ", ")) for label, text in (*said["applicant"], *said["request"])
        ),
        answers=tuple(shown_answers(facts)),
        declarations=tuple(text for text in (*said["declarations"], said["scan_consent"]) if text),
        fraud=tuple(said["fraud"]),
        notice_of_state=tuple(state["paragraphs"]) if state else (),
        state=str(state["state"]) if state else "",
        attestation=tuple(said["attestation"]),
        acknowledgment=acknowledgment(facts) or "",
    )


def done_page(
    link: ClientLink,
    option: ClientOption,
    facts: DocumentFacts,
    times: Times,
    *,
    signature: Signature | None,
    address: str,
) -> DonePage:
    """Show how the link ended: signed, with the copy, or sent back."""
    frame = frame_of(link, facts, address=address, form_token="") | {"message": ""}
    sender = frame["sender"]
    if signature is None:
        return DonePage(
            **frame | {"title": "Sent back"},
            said=f"{sender} has your message. Nothing was signed.",
            facts=(("You wrote", link.said or ""),),
            next=("You get a new link when it is mended.",),
            papers=(),
        )
    body = option.body
    is_issued = option.standing.policy is not None and option.standing.policy.is_issued
    follows = (
        f"The policy {body.policy_number} is issued."
        if is_issued
        else f"{sender} now asks the insurer to bind the insurance; you hear from them."
    )
    return DonePage(
        **frame | {"title": "The application is signed"},
        said="Thank you: the application is signed.",
        facts=(
            ("For", facts.insured.name),
            ("Signed by", f"{signature.name}, {signature.title}"),
            ("On", times.at(signature.signed_at).full),
            ("Option", f"{shown_number(option.record.quote.option_number)}, {cents(body.total)}"),
        ),
        next=(follows, f"A copy goes to {link.email} too."),
        papers=(
            ShownDocument(f"{address}/signed", "Your copy of the signed application"),
            *(
                paper
                for paper in papers_of(option, body, address, alike=False)
                if "application" not in paper.address
            ),
        ),
    )
