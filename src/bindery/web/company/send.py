"""Sending options to the client, to choose from and to sign, and taking a link back."""

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from starlette.responses import Response

from bindery.actions.signing.revoke_link import revoke_link
from bindery.actions.signing.send_link import LinkAsk, send_link
from bindery.base.errors import BinderyError, IdempotencyInFlight, InvalidRequest, NotFound, WrongState
from bindery.contract.quote import QuoteBody
from bindery.domain.access.caller import Caller
from bindery.domain.signing.client_link import LONGEST_MESSAGE, LONGEST_NAME, ClientLink, LinkPurpose
from bindery.http.show_quote import show_quote
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.storage.signing import client_links
from bindery.web.company.book import find_company
from bindery.web.company.contacts import contacts_of
from bindery.web.company.forms import problems_of, status_of
from bindery.web.company.links_shown import is_to_sign
from bindery.web.company.policy_shown import retention_of
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit
from bindery.web.shown.option import options_named, shown_number
from bindery.web.shown.words import cents, money, product_name

LABELS: Final = {
    "email": "Email",
    "name": "Name",
    "message": "Message",
    "option_ids": "The options",
    "recommended": "The recommended option",
}


@dataclass(frozen=True, slots=True)
class SendableOption:
    number: int
    quote_id: str
    limit: str
    retention: str
    total: str
    is_included: bool
    is_recommended: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedLink:
    """What the broker typed; `key` makes one form sent twice one link."""

    email: str
    name: str
    message: str
    included: tuple[str, ...]
    recommended: str
    key: str


@dataclass(frozen=True, slots=True)
class Sending:
    """The submission whose options are sent, and those of them that can be signed for."""

    seen: Sequence[QuoteRecord]
    options: Sequence[tuple[QuoteRecord, QuoteBody]]

    @property
    def first(self) -> QuoteRecord:
        return self.seen[0]

    @property
    def company_id(self) -> int:
        return self.first.quote.company_id


async def show_send(visit: Visit) -> Response:
    sending = await _read(visit)
    main = next(iter(contacts_of(sending.seen)), None)
    offered = [str(record.quote.quote_id) for record, _ in sending.options]
    selected = visit.word("option")
    typed = TypedLink(
        email=main.email if main else "",
        name=main.name if main else "",
        message="",
        included=tuple(offered),
        recommended=selected if selected in offered else next(iter(offered), ""),
        key=secrets.token_hex(16),
    )
    return _page(visit, sending, typed)


async def send_to_client(visit: Visit) -> Response:
    fields = await visit.form_fields()
    form = dict(fields)
    typed = TypedLink(
        email=form.get("email", ""),
        name=form.get("name", ""),
        message=form.get("message", ""),
        included=tuple(value for name, value in fields if name == "option"),
        recommended=form.get("recommended", ""),
        key=form.get("key", ""),
    )
    sending = await _read(visit)
    try:
        ask, numbers = _ask(sending, typed)
        text = repr(typed) if visit.as_id(typed.key) else ""
        await send_link(visit.runtime, keyed(visit, sending.first.quote.partner_id, text), ask)
    except IdempotencyInFlight:
        return await visit.done(f"/company/{sending.company_id}")
    except (InvalidRequest, WrongState) as fault:
        return _page(visit, sending, typed, fault=fault)
    said = f"{options_named(numbers).capitalize()}: a link is on its way to {typed.email}."
    return await visit.done(f"/company/{sending.company_id}", said)


async def take_back(visit: Visit) -> Response:
    link = await _find_link(visit)
    caller = Caller(partner_id=link.partner_id, actor=visit.actor)
    where = f"/quote/{link.quote_id}" if link.draft_id is None else f"/draft/{link.draft_id}/ask"
    try:
        await revoke_link(visit.runtime.database, caller, link.link_id)
    except InvalidRequest:
        said = f"Not taken back: {link.client} was faster. What came of it is below."
        return await visit.done(where, f"\N{WARNING SIGN} {said}")
    return await visit.done(where, f"The link to {link.email} is taken back: it does not work any more.")


async def send_again(visit: Visit) -> Response:
    """Mail a new link for the same; the one before ends with it."""
    link = await _find_link(visit)
    if link.quote_id is None:
        raise NotFound("There is no such link.")
    where = f"/quote/{link.quote_id}"
    form = await visit.form()
    ask = LinkAsk(
        email=link.email,
        name=link.name,
        message=link.message,
        purpose=link.purpose,
        quote_id=link.recommended or link.quote_id,
        option_ids=link.option_ids,
        asked=link.asked,
    )
    key = f"{link.link_id} {form.get('key', '')}"
    caller = keyed(visit, link.partner_id, key)
    try:
        sent = await send_link(visit.runtime, caller, ask)
    except IdempotencyInFlight:
        return await visit.done(where)
    except (InvalidRequest, WrongState) as fault:
        said = " ".join(problem.text for problem in problems_of(fault, LABELS))
        return await visit.done(where, f"\N{WARNING SIGN} Not sent again. {said}")
    if sent.is_replayed:
        return await visit.done(where, f"A new link was sent to {link.email} already.")
    return await visit.done(where, f"A new link is on its way to {link.email}; the one before has ended.")


def _ask(sending: Sending, typed: TypedLink) -> tuple[LinkAsk, list[str]]:
    """Read what to send; several options are a proposal, one is an application to sign."""
    chosen = [record for record, _ in sending.options if str(record.quote.quote_id) in typed.included]
    recommended = next((record for record in chosen if str(record.quote.quote_id) == typed.recommended), None)
    if not chosen:
        raise InvalidRequest.at("option_ids", "required", "must be chosen: at least one")
    if recommended is None and len(chosen) > 1:
        raise InvalidRequest.at("recommended", "not_offered", "must be one of those that are sent")
    subject = recommended or chosen[0]
    is_proposal = len(chosen) > 1
    ask = LinkAsk(
        email=typed.email,
        name=typed.name or None,
        message=typed.message,
        purpose=LinkPurpose.PROPOSAL if is_proposal else LinkPurpose.SIGNATURE,
        quote_id=subject.quote.quote_id,
        option_ids=tuple(record.quote.quote_id for record in chosen) if is_proposal else (),
    )
    return ask, [str(shown_number(record.quote.option_number)) for record in chosen]


def keyed(visit: Visit, partner_id: int, text: str) -> Caller:
    """Return who asks; one form sent twice with the same content is one link."""
    digest = hashlib.sha256(text.encode()).digest()
    key = f"link-{digest.hex()[:32]}" if text else None
    return Caller(partner_id=partner_id, actor=visit.actor, idempotency_key=key, request_hash=digest)


async def _read(visit: Visit) -> Sending:
    company_id, wanted = visit.path_number("company_id"), visit.as_id(visit.word("of"))
    async with visit.runtime.database.reading() as tx:
        seen = await find_company(tx, company_id, partner_id=visit.partner_id)
    bodies = [(record, show_quote(record)) for record in seen]
    to_sign = [(record, body) for record, body in bodies if is_to_sign(body)]
    first = next(iter(to_sign), bodies[0])[0].quote.submission_id
    chosen = wanted or first
    options = [(record, body) for record, body in to_sign if record.quote.submission_id == chosen]
    records = [record for record in seen if record.quote.submission_id == chosen]
    if not records:
        raise NotFound("There is no such submission of this company.")
    return Sending(records, sorted(options, key=lambda option: option[0].quote.option_number))


async def _find_link(visit: Visit) -> ClientLink:
    async with visit.runtime.database.reading() as tx:
        link = await client_links.find(tx, visit.path_id("link_id"), partner_id=visit.partner_id or 0)
    if link is None:
        raise NotFound("There is no such link.")
    return link


def _page(visit: Visit, sending: Sending, typed: TypedLink, *, fault: BinderyError | None = None) -> Response:
    first = sending.first
    return page(
        visit,
        "company/send.html",
        status=status_of(fault) if fault else 200,
        name=str(first.client["name"]),
        company_id=first.quote.company_id,
        submission_id=first.quote.submission_id,
        product=product_name(first.quote.product),
        options=tuple(_shown(record, body, typed) for record, body in sending.options),
        typed=typed,
        longest_name=LONGEST_NAME,
        longest_message=LONGEST_MESSAGE,
        problems=problems_of(fault, LABELS) if fault else (),
    )


def _shown(record: QuoteRecord, body: QuoteBody, typed: TypedLink) -> SendableOption:
    quote_id = str(record.quote.quote_id)
    return SendableOption(
        number=shown_number(record.quote.option_number),
        quote_id=quote_id,
        limit=money(body.aggregate_limit),
        retention=money(retention_of(body)),
        total=cents(body.total),
        is_included=quote_id in typed.included,
        is_recommended=quote_id == typed.recommended,
    )
