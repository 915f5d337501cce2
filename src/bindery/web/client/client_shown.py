"""What the pages of a client show: the options of a proposal, the application to sign, and how it ended."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from bindery.contract.documents import ABOUT, DocumentType
from bindery.contract.quote import QuoteBody
from bindery.documents import SHARED_BY_SUBMISSION
from bindery.domain.applicant.risk import whole_months
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.products import record_of
from bindery.domain.signing.client_link import LONGEST_SAID, ClientLink, LinkPurpose
from bindery.domain.signing.signing import (
    OptionStanding,
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


def frame_of(link: ClientLink, facts: DocumentFacts, *, address: str, form_token: str) -> dict[str, Any]:
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
    refusals = [refusal_of(option) for option in options]
    is_open = [not refusal for refusal in refusals]
    may_choose = link.purpose is LinkPurpose.PROPOSAL and len(options) > 1 and link.is_waiting
    chosen = link.quote_id if link.chosen_at is not None or not may_choose else None
    may_sign = link.is_waiting and any(
        is_open[place] for place, option in enumerate(options) if option.record.quote.quote_id == chosen
    )
    strong, sentence = _sentence(link, options, any(is_open), chosen is not None, times)
    return ProposalPage(
        **frame_of(link, facts, address=address, form_token=form_token),
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
        papers=papers_of(options[0], bodies[0], address, alike=True),
        may_choose=may_choose,
        may_sign=may_sign,
        sign_words="Read the application and sign",
        may_send_back=link.is_waiting,
    )


def refusal_of(option: ClientOption) -> str:
    """Return why an option cannot be signed for; empty if it can."""
    refusal = why_not_signable(option.standing)
    return refusal.message if refusal is not None else ""


def _notice(refusals: Sequence[str], *, may_choose: bool) -> str:
    """Return the sentence above the buttons where nothing, or not everything, can be had any more."""
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
    is_recommended = len(link.option_ids) > 1 and link.recommended == quote.quote_id
    months = whole_months(body.dates.effective, body.dates.expiration)
    said = [(title, f"{cell.text}, {cell.more}" if cell.more else cell.text) for title, cell in cells]
    return ProposedOption(
        number=shown_number(quote.option_number),
        quote_id=str(quote.quote_id),
        total=cents(body.total),
        unit="a year, taxes in" if months == A_YEAR else f"for {counted(months, 'month')}, taxes in",
        terms=tuple((title, text) for title, text in said if title not in PRICE),
        prices=tuple((title, text) for title, text in said if title in PRICE and title != "Total"),
        papers=papers_of(option, body, address, alike=False),
        gone=refusal,
        is_recommended=is_recommended,
        is_chosen=chosen,
        is_picked=chosen or (is_recommended and not chosen_any) or len(link.option_ids) <= 1,
    )


def papers_of(
    option: ClientOption, body: QuoteBody, address: str, *, alike: bool
) -> tuple[ShownDocument, ...]:
    """Return the documents of an option alone, or those that are `alike` for all of them."""
    return tuple(
        ShownDocument(f"{address}/paper/{option.record.quote.quote_id}/{kind}", ABOUT[kind].name)
        for kind in PAPERS
        if kind in body.available_documents and (kind in SHARED_BY_SUBMISSION) is alike
    )


def _plain(row: Row) -> ComparedRow:
    cells = tuple(ComparedCell(cell) for cell in row.cells)
    return ComparedRow(row.title, cells, is_figure=row.is_figure, is_total=False, is_coverage=True)
