"""What the pages of a client show: the options of a proposal, the application to sign, and how it ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from bindery.contract.documents import ABOUT, DocumentType
from bindery.contract.quote import QuoteBody
from bindery.documents import SHARED_BY_SUBMISSION
from bindery.documents.application import PrintedAnswer, acknowledgment, shown_answers, statements
from bindery.documents.layout import notice_content
from bindery.domain.applicant.risk import whole_months
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.products import record_of
from bindery.domain.signing.client_link import LONGEST_SAID, ClientLink, LinkPurpose
from bindery.domain.signing.signing import (
    AUTHORITY,
    CODE_LASTS,
    CONSENT,
    OptionStanding,
    Signature,
    why_not_signable,
)
from bindery.http.show_quote import show_quote
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.company.options_table import ComparedCell, ComparedRow, said_once
from bindery.web.shown.comparison import PRICE, Row, comparison, without_alike
from bindery.web.shown.coverages import all_coverages, coverages_asked_for
from bindery.web.shown.option import ShownDocument, shown_number
from bindery.web.shown.words import Times, cents, counted, day

A_YEAR: Final = 12
NOT_FOR_CLIENTS: Final = frozenset({"What is needed", "Open until"})
PAPERS: Final = (
    DocumentType.POLICY,
    DocumentType.BINDER,
    DocumentType.BILLING_STATEMENT,
    DocumentType.QUOTE_LETTER,
    DocumentType.APPLICATION,
    DocumentType.POLICY_SPECIMEN,
    DocumentType.RECOMMENDATIONS,
    DocumentType.SECURITY_REPORT,
)
"""What a client may read of an option; the comparison shows options that were not sent."""
FOOTNOTE: Final = "This page is for you alone: whoever has its address can read it."


@dataclass(frozen=True, slots=True)
class ClientOption:
    """An option of the link, as it is stored and as it stands now."""

    record: QuoteRecord
    standing: OptionStanding

    @property
    def body(self) -> QuoteBody:
        """Show it without what was corrected in the request: that is between broker and insurer."""
        return msgspec.structs.replace(show_quote(self.record), corrections=[])


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientPage:
    """The frame of every page: whose link it is and where its forms go."""

    address: str
    form_token: str
    title: str
    sender: str
    sender_email: str
    recipient: str
    message: str
    footnote: str = FOOTNOTE
    longest_said: int = LONGEST_SAID


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedOption:
    """An option on its card; `gone` says why it can no longer be had."""

    number: int
    quote_id: str
    total: str
    unit: str
    terms: tuple[tuple[str, str], ...]
    prices: tuple[tuple[str, str], ...]
    papers: tuple[ShownDocument, ...]
    gone: str
    is_recommended: bool
    is_chosen: bool
    is_picked: bool
    is_in_progress: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalPage(ClientPage):
    strong: str
    sentence: str
    notice: str
    options: tuple[ProposedOption, ...]
    alike: tuple[tuple[str, str], ...]
    coverages: tuple[ComparedRow, ...]
    papers: tuple[ShownDocument, ...]
    may_choose: bool
    may_sign: bool
    sign_words: str
    may_send_back: bool


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


def _frame(link: ClientLink, facts: DocumentFacts, *, address: str, form_token: str) -> dict[str, Any]:
    return {
        "address": address,
        "form_token": form_token,
        "title": f"{record_of(facts.product).title} for {facts.insured.name}",
        "sender": ", ".join(part for part in (facts.broker_name, facts.broker_firm) if part) or "Your broker",
        "sender_email": facts.broker_email,
        "recipient": link.email,
        "message": link.message,
    }


def proposal_page(
    link: ClientLink,
    options: Sequence[ClientOption],
    facts: DocumentFacts,
    times: Times,
    *,
    address: str,
    form_token: str,
) -> ProposalPage:
    bodies = [option.body for option in options]
    rows = [
        row
        for row in comparison(bodies, None, times, coverages=coverages_asked_for(bodies))
        if row.title not in NOT_FOR_CLIENTS
    ]
    told, alike = without_alike(rows)
    refusals = [_refusal(option) for option in options]
    is_open = [not refusal for refusal in refusals]
    may_choose = link.purpose is LinkPurpose.PROPOSAL and len(options) > 1 and link.is_waiting
    chosen = link.quote_id if link.chosen_at is not None or not may_choose else None
    may_sign = link.is_waiting and any(
        is_open[place] for place, option in enumerate(options) if option.record.quote.quote_id == chosen
    )
    strong, sentence = _sentence(link, options, any(is_open), chosen is not None, times)
    return ProposalPage(
        **_frame(link, facts, address=address, form_token=form_token),
        strong=strong,
        sentence=sentence,
        notice=_notice(refusals, may_choose=may_choose),
        options=tuple(
            _option(
                link,
                option,
                body,
                [(row.title, row.cells[place]) for row in told],
                address=address,
                refusal=refusals[place],
                chosen=option.record.quote.quote_id == chosen and len(options) > 1,
                chosen_any=chosen is not None,
            )
            for place, (option, body) in enumerate(zip(options, bodies, strict=True))
        ),
        alike=tuple(said_once(row) for row in alike),
        coverages=tuple(_plain(row) for row in all_coverages(bodies)),
        papers=_papers(options[0], bodies[0], address, alike=True),
        may_choose=may_choose,
        may_sign=may_sign,
        sign_words="Read the application and sign",
        may_send_back=link.is_waiting,
    )


def _refusal(option: ClientOption) -> str:
    """Return why an option cannot be signed for; empty if it can."""
    refusal = why_not_signable(option.standing)
    return refusal.message if refusal is not None else ""


def _notice(refusals: Sequence[str], *, may_choose: bool) -> str:
    """Say before any button that nothing, or not everything, can be had any more."""
    gone = [refusal for refusal in refusals if refusal]
    if not gone:
        return ""
    if len(gone) == len(refusals):
        return gone[0] if len(refusals) == 1 else "None of these options can be chosen any more."
    return f"{counted(len(gone), 'option')} can no longer be chosen." if may_choose else ""


def _sentence(
    link: ClientLink,
    options: Sequence[ClientOption],
    is_open: bool,
    is_chosen: bool,
    times: Times,
) -> tuple[str, str]:
    until = times.on(link.expires_at).text
    if not is_open:
        return "Nothing is asked of you now.", ""
    if len(options) == 1 or is_chosen:
        bound = next((option for option in options if option.standing.terms.is_bound), None)
        if bound is not None and bound.standing.last_day is not None:
            by = day(bound.standing.last_day)
            return f"Please sign the application by {by}.", "The insurance is bound on that condition."
        few = f"It takes a few minutes; the link works until {until}."
        return "Please read the offer and sign the application.", few
    count = counted(len(options), "option")
    return f"{count} for you: choose one, then sign its application.", f"The link works until {until}."


def _option(
    link: ClientLink,
    option: ClientOption,
    body: QuoteBody,
    cells: Sequence[tuple[str, Any]],
    *,
    address: str,
    refusal: str,
    chosen: bool,
    chosen_any: bool,
) -> ProposedOption:
    quote = option.record.quote
    # Once the client has chosen, the link is about the choice.
    is_recommended = len(link.option_ids) > 1 and link.chosen_at is None and link.quote_id == quote.quote_id
    months = whole_months(body.dates.effective, body.dates.expiration)
    said = [(title, f"{cell.text}, {cell.more}" if cell.more else cell.text) for title, cell in cells]
    return ProposedOption(
        number=shown_number(quote.option_number),
        quote_id=str(quote.quote_id),
        total=cents(body.total),
        unit="a year, taxes in" if months == A_YEAR else f"for {counted(months, 'month')}, taxes in",
        terms=tuple((title, text) for title, text in said if title not in PRICE),
        prices=tuple((title, text) for title, text in said if title in PRICE and title != "Total"),
        papers=_papers(option, body, address, alike=False),
        gone=refusal,
        is_recommended=is_recommended,
        is_chosen=chosen,
        is_picked=chosen or (is_recommended and not chosen_any) or len(link.option_ids) <= 1,
    )


def _papers(option: ClientOption, body: QuoteBody, address: str, *, alike: bool) -> tuple[ShownDocument, ...]:
    """Return the documents of an option alone, or those that are `alike` for all of them."""
    return tuple(
        ShownDocument(f"{address}/paper/{option.record.quote.quote_id}/{kind}", ABOUT[kind].name)
        for kind in PAPERS
        if kind in body.available_documents and (kind in SHARED_BY_SUBMISSION) is alike
    )


def _plain(row: Row) -> ComparedRow:
    cells = tuple(ComparedCell(cell) for cell in row.cells)
    return ComparedRow(row.title, cells, is_figure=row.is_figure, is_total=False, is_coverage=True)


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
    refusal = _refusal(option)
    body, said = option.body, statements(facts)
    number = shown_number(option.record.quote.option_number)
    state = notice_content(facts) if facts.notice.at_application else None
    return SignPage(
        **_frame(link, facts, address=address, form_token=form_token),
        strong=f"For {facts.insured.name}, option {number}: {cents(body.total)}.",
        sentence="Please check every answer first. If one is not true, do not sign.",
        notice=changed or refusal,
        may_sign=link.is_waiting and not refusal,
        shown=str(option.standing.terms),
        application=f"{address}/paper/{option.record.quote.quote_id}/{DocumentType.APPLICATION}",
        applicant=tuple((label, text) for label, text in (*said["applicant"], *said["request"])),
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
    frame = _frame(link, facts, address=address, form_token="") | {"message": ""}
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
                for paper in _papers(option, body, address, alike=False)
                if "application" not in paper.address
            ),
        ),
    )
