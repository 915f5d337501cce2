"""The company page: options side by side, what they need, and what happened."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from itertools import groupby
from typing import Any, Final

from bindery.actions.show_quote import show_quote
from bindery.contract.quote import ContingencyBody, QuoteBody, UploadBody
from bindery.contract.vocabulary import ContingencyType, InsuranceProduct, QuoteStatus
from bindery.domain.lifecycle import BINDABLE, NOT_READY
from bindery.domain.quote import Quote
from bindery.storage.quote_view import SeenQuote
from bindery.web.shown.history import HistoryLine
from bindery.web.shown.times import Times
from bindery.web.shown.words import (
    DOCUMENTS,
    NONE,
    STATUS_WORDS,
    Moment,
    StatusWord,
    day,
    money,
    product_name,
)

NOT_QUOTED: Final = "not quoted yet"
FINDINGS: Final[Mapping[str, str]] = {
    "matched": "matches the application that was issued",
    "other_quote": "belongs to another quote",
    "altered": "differs from the application that was issued",
    "not_recognized": "is not recognized as an application of ours",
    "unreadable": "could not be read; a person looks at it",
    "damaged": "is damaged; send it again",
    "not_compared": "was received",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """What one option says in one row; `differs` where the options of the row are not all alike."""

    text: str
    differs: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the comparison."""

    title: str
    cells: tuple[Cell, ...]
    is_figure: bool = True
    is_total: bool = False


@dataclass(frozen=True, slots=True)
class ShownUpload:
    """A file that came in, and what it turned out to be."""

    name: str
    address: str
    received: Moment
    finding: str


@dataclass(frozen=True, slots=True)
class ShownContingency:
    """Something owed, and what was sent for it."""

    number: str
    text: str
    is_open: bool
    when: str
    uploads: tuple[ShownUpload, ...]


@dataclass(frozen=True, slots=True)
class ShownDocument:
    """A document that can be opened."""

    address: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownOption:
    """One option with all that can be done with it."""

    number: int
    quote_id: str
    anchor: str
    status: StatusWord
    sentence: str
    is_in_progress: bool
    may_bind: bool
    may_pause: bool
    may_resume: bool
    may_upload: bool
    contingencies: tuple[ShownContingency, ...]
    uploads: tuple[ShownUpload, ...]
    documents: tuple[ShownDocument, ...]
    policy_number: str
    term: str
    renews_by: str
    renewal: str
    is_unfolded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSubmission:
    """The options of one submission side by side."""

    submission_id: str
    title: str
    submitted: Moment
    options: tuple[ShownOption, ...]
    rows: tuple[Row, ...]
    reasons: tuple[str, ...]
    corrections: tuple[str, ...]
    is_current: bool


@dataclass(frozen=True, slots=True)
class Contact:
    """Somebody to write to."""

    role: str
    name: str
    email: str
    phone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyPage:
    """A company with everything that was submitted for it."""

    name: str
    number: str
    products: str
    broker: str
    sentence: str
    is_in_progress: bool
    current: tuple[ShownSubmission, ...]
    earlier: tuple[ShownSubmission, ...]
    contacts: tuple[Contact, ...]
    history: tuple[HistoryLine, ...]
    zone: str


_Waiting = Mapping[uuid.UUID, tuple[datetime, datetime]]


def company_page(
    seen: Sequence[SeenQuote],
    *,
    broker: str,
    waiting: _Waiting,
    history: tuple[HistoryLine, ...],
    times: Times,
    may_act: bool,
) -> CompanyPage:
    """Put the page together from all quotes of a company; `may_act` is for its brokers."""
    groups = [list(group) for _, group in groupby(seen, lambda one: one.quote.submission_id)]
    newest: dict[InsuranceProduct, int] = {}
    for place, group in enumerate(groups):
        newest.setdefault(group[0].quote.product, place)
    shown = [
        _submission(group, times, waiting, is_current=_is_current(group, place, newest), may_act=may_act)
        for place, group in enumerate(groups)
    ]
    client = seen[0].client
    return CompanyPage(
        name=str(client["name"]),
        number=str(seen[0].quote.company_id),
        products=", ".join(dict.fromkeys(product_name(one.quote.product) for one in seen)),
        broker=broker,
        sentence=_standing(seen, waiting, times),
        is_in_progress=any(one.quote.status in NOT_READY for one in seen),
        current=tuple(one for one in shown if one.is_current),
        earlier=tuple(one for one in shown if not one.is_current),
        contacts=_contacts(client),
        history=history,
        zone=times.zone_name,
    )


def _is_current(group: Sequence[SeenQuote], place: int, newest: Mapping[InsuranceProduct, int]) -> bool:
    """Whether a submission is what people look for: the newest of its product, or one with cover."""
    return place == newest[group[0].quote.product] or any(
        one.quote.status in {QuoteStatus.POLICY_ACTIVE, QuoteStatus.QUOTE_BIND_REQUESTED, *BINDABLE}
        for one in group
    )


def _standing(seen: Sequence[SeenQuote], waiting: _Waiting, times: Times) -> str:
    """Say in one sentence where the company stands."""
    parts = []
    active = [one for one in seen if one.quote.status is QuoteStatus.POLICY_ACTIVE]
    for one in active:
        kind = "bound on condition" if one.issued_on is None else "in force"
        parts.append(f"policy {one.policy_number} is {kind}")
    open_ = [one for one in seen if one.quote.status in BINDABLE]
    if open_:
        last = min(one.quote.expires_on for one in open_ if one.quote.expires_on is not None)
        parts.append(f"{_options(len(open_))} open until {day(last)}")
    with_desk = [
        one for one in seen if one.quote.submission_id in waiting and one.quote.status in _DECIDED_BY_PEOPLE
    ]
    if with_desk:
        opened, due = waiting[with_desk[0].quote.submission_id]
        late = " and is late" if due < times.now else f", answer expected by {times.at(due).text}"
        parts.append(f"{_options(len(with_desk))} with an underwriter since {times.since(opened).text}{late}")
    running = [one for one in seen if one.quote.status in NOT_READY]
    if running:
        parts.append(
            f"{_options(len(running))} being quoted since {times.since(running[0].quote.created_at).text}"
        )
    if not parts:
        return f"Nothing is open. The newest option is {STATUS_WORDS[seen[0].quote.status].text.lower()}."
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


_DECIDED_BY_PEOPLE: Final = frozenset({QuoteStatus.QUOTE_REFERRED, QuoteStatus.QUOTE_BIND_REQUESTED})


def _options(count: int) -> str:
    return "1 option is" if count == 1 else f"{count} options are"


def _submission(
    group: Sequence[SeenQuote], times: Times, waiting: _Waiting, *, is_current: bool, may_act: bool
) -> ShownSubmission:
    bodies = [show_quote(one) for one in group]
    first = group[0]
    return ShownSubmission(
        submission_id=str(first.quote.submission_id),
        title=_title(first),
        submitted=times.at(first.quote.created_at),
        options=tuple(
            shown_option(one, body, times, may_act=may_act) for one, body in zip(group, bodies, strict=True)
        ),
        rows=comparison(bodies, waiting.get(first.quote.submission_id), times),
        reasons=tuple(dict.fromkeys(reason.text for body in bodies for reason in body.referral_reasons)),
        corrections=tuple(
            dict.fromkeys(correction.text for body in bodies for correction in body.corrections)
        ),
        is_current=is_current,
    )


def _title(seen: SeenQuote) -> str:
    kind = "renewal" if seen.renews is not None else "quote"
    return f"{product_name(seen.quote.product)} {kind}"


def shown_option(one: SeenQuote, body: QuoteBody, times: Times, *, may_act: bool) -> ShownOption:
    """Show one option with all that can be done with it."""
    quote = one.quote
    is_auto = body.renewal is not None and body.renewal.type == "auto"
    has_policy = quote.status is QuoteStatus.POLICY_ACTIVE and one.issued_on is not None
    return ShownOption(
        number=shown_number(quote.option_number),
        quote_id=str(quote.quote_id),
        anchor=anchor_of(quote),
        status=STATUS_WORDS[quote.status],
        sentence=_sentence(body),
        is_in_progress=quote.status in NOT_READY,
        may_bind=may_act and quote.status in BINDABLE,
        may_pause=may_act and has_policy and is_auto,
        may_resume=may_act and has_policy and not is_auto,
        may_upload=may_act and quote.status not in NOT_READY,
        contingencies=tuple(_contingency(one_, body, times) for one_ in body.contingencies),
        uploads=tuple(_upload(body, upload, times) for upload in body.uploads if upload.contingency is None),
        documents=tuple(
            ShownDocument(f"/quote/{quote.quote_id}/document/{kind}", DOCUMENTS.get(kind, kind))
            for kind in body.available_documents
        ),
        policy_number=body.policy_number or "",
        term=f"{day(body.dates.effective)} to {day(body.dates.expiration)}",
        renews_by="automatically" if is_auto else "by hand only",
        renewal=f"/quote/{body.renewal.renewed_by}" if body.renewal and body.renewal.renewed_by else "",
        is_unfolded=body.policy_number is not None or body.quote_status is QuoteStatus.QUOTE_BIND_REQUESTED,
    )


def shown_number(option_number: int) -> int:
    """Return the number of an option for people, who count from one."""
    return option_number + 1


def anchor_of(quote: Quote) -> str:
    """Return where on the company page an option is."""
    return f"option-{shown_number(quote.option_number)}-{str(quote.quote_id)[-6:]}"


def _sentence(body: QuoteBody) -> str:
    word = STATUS_WORDS[body.quote_status]
    if body.decision is not None and body.decision.reason:
        return f"{word.meaning} {body.decision.reason}"
    if body.binder is not None and body.binder.conditional and body.quote_status is QuoteStatus.POLICY_ACTIVE:
        return (
            f"Bound on condition: fulfil what is open by {day(body.binder.fulfil_by)}, or the binder lapses."
        )
    return word.meaning


def _contingency(owed: ContingencyBody, body: QuoteBody, times: Times) -> ShownContingency:
    if owed.type is ContingencyType.PRE_BIND:
        when = "before the bind"
    elif body.binder is not None and body.binder.fulfil_by is not None:
        when = f"by {day(body.binder.fulfil_by)}"
    else:
        when = "within 30 days of the bind"
    return ShownContingency(
        number=owed.contingency_id,
        text=owed.text,
        is_open=owed.status == "open",
        when=when,
        uploads=tuple(
            _upload(body, upload, times)
            for upload in body.uploads
            if upload.contingency == owed.contingency_id
        ),
    )


def _upload(body: QuoteBody, upload: UploadBody, times: Times) -> ShownUpload:
    return ShownUpload(
        name=upload.name,
        address=f"/quote/{body.quote_identifier}/upload/{upload.document_id}",
        received=times.at(upload.received),
        finding=FINDINGS.get(upload.finding, str(upload.finding)),
    )


def comparison(
    bodies: Sequence[QuoteBody], waiting: tuple[datetime, datetime] | None, times: Times
) -> tuple[Row, ...]:
    """Return the options as rows, marking where they differ."""
    is_mpl = bodies[0].insurance_product is InsuranceProduct.MPL
    rows = [
        _row("Aggregate limit", [money(body.aggregate_limit) for body in bodies]),
        _row("Per-claim limit", [money(body.per_claim_limit) for body in bodies]),
    ]
    if is_mpl:
        rows.append(_row("Per-claim retention", [money(body.per_claim_retention) for body in bodies]))
    if not is_mpl or any(body.aggregate_retention is not None for body in bodies):
        rows.append(_row("Retention", [money(body.aggregate_retention) for body in bodies]))
    rows += [
        _row("Premium", [_priced(body, money(body.premium)) for body in bodies]),
        Row(
            "Taxes and fees",
            tuple(
                Cell(
                    _priced(
                        body, _dollars(sum((Decimal(str(s.price)) for s in body.surcharges), Decimal(0)))
                    ),
                    notes=tuple(f"{s.title} {_dollars(Decimal(str(s.price)))}" for s in body.surcharges),
                )
                for body in bodies
            ),
        ),
        Row(
            "Total",
            tuple(Cell(_priced(body, _dollars(Decimal(str(body.total or 0))))) for body in bodies),
            is_total=True,
        ),
        _row("Open until", [_open_until(body) for body in bodies]),
        Row("Still needed", tuple(Cell(_needs(body, waiting, times)) for body in bodies), is_figure=False),
    ]
    return tuple(rows)


def _row(title: str, texts: Sequence[str]) -> Row:
    differs = len(set(texts)) > 1
    return Row(title, tuple(Cell(text, differs) for text in texts))


def _priced(body: QuoteBody, text: str) -> str:
    return (
        NOT_QUOTED
        if body.premium is None and body.quote_status in _UNPRICED
        else text
        if body.premium is not None
        else NONE
    )


_UNPRICED: Final = frozenset({*NOT_READY, QuoteStatus.QUOTE_REFERRED})


def _dollars(amount: Decimal) -> str:
    return f"${amount:,.2f}"


def _open_until(body: QuoteBody) -> str:
    return day(body.quote_expiration_date) if body.quote_status in BINDABLE else NONE


_WHEN: Final = {ContingencyType.PRE_BIND: "before the bind", ContingencyType.POST_BIND: "after the bind"}


def _needs(body: QuoteBody, waiting: tuple[datetime, datetime] | None, times: Times) -> str:
    if body.quote_status in _DECIDED_BY_PEOPLE:
        if waiting is None:
            return "An underwriter decides first"
        return f"An underwriter's answer, expected by {times.at(waiting[1]).text}"
    owed = [
        f"{one.text.partition(',')[0]}, {_WHEN[one.type]}"
        for one in body.contingencies
        if one.status == "open"
    ]
    if not owed or body.quote_status not in {*BINDABLE, QuoteStatus.POLICY_ACTIVE}:
        return NONE
    return "; ".join(owed)


def _contacts(client: Mapping[str, Any]) -> tuple[Contact, ...]:
    people = [("Insured", client.get("insured_main_contact") or {})]
    people += [
        (", ".join(str(role).replace("_", " ") for role in other.get("contact_roles", ())), other)
        for other in client.get("additional_contacts") or ()
    ]
    return tuple(
        Contact(
            role=role,
            name=" ".join(str(person.get(part) or "") for part in ("first_name", "last_name")).strip(),
            email=str(person.get("email", "")),
            phone=str(person.get("cell_phone") or ""),
        )
        for role, person in people
        if person.get("email")
    )
