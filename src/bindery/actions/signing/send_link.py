import secrets
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial

import msgspec

from bindery.actions.documents.write_mails import gather_mail_facts
from bindery.actions.quote.advance_quote import advance_quote, lock_quote
from bindery.actions.signing.find_link import find_standing
from bindery.base.errors import InvalidRequest, NotFound, Problem, QuoteInProgress, WrongState
from bindery.documents.mail_body import mail_body
from bindery.domain.access.caller import Caller
from bindery.domain.business_rules import BusinessRules
from bindery.domain.drafts.draft import DraftGone
from bindery.domain.jobs import PLAY_CLIENT
from bindery.domain.messages.access_mails import owner_of_address
from bindery.domain.messages.mails import Mail
from bindery.domain.messages.signing_mails import LinkAbout, about_of, link_mail
from bindery.domain.quote.lifecycle import NOT_READY, TAKES_PAPERS, Trigger, find_move
from bindery.domain.quote.quote import Quote
from bindery.domain.signing.client_link import (
    MOST_LINKS_A_DAY,
    TOKEN_BYTES,
    ClientLink,
    LinkPurpose,
    LinkStatus,
    ends_at,
    hash_of_token,
    noted,
    owner_of_token,
    problems_of_recipient,
)
from bindery.domain.signing.signing import why_not_signable
from bindery.outside.sealing import Sealer
from bindery.runtime import Runtime
from bindery.storage.database import Reader, Tx
from bindery.storage.documents import mails
from bindery.storage.idempotency import FirstAnswer, idempotently
from bindery.storage.jobs import queue
from bindery.storage.quote import quotes
from bindery.storage.signing import client_links
from bindery.storage.submission import drafts, submissions

A_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkAsk:
    """What to send to a client.

    `quote_id` is the option to be signed, in a proposal the recommended one of `option_ids`. `draft_id` is a
    draft whose questions are `asked`; `about` says what it is about, since it has no submission to tell.
    """

    email: str
    name: str | None = None
    message: str = ""
    purpose: LinkPurpose = LinkPurpose.SIGNATURE
    quote_id: uuid.UUID | None = None
    option_ids: tuple[uuid.UUID, ...] = ()
    draft_id: uuid.UUID | None = None
    asked: tuple[str, ...] = ()
    about: LinkAbout | None = None
    broker_email: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentLink:
    link_id: uuid.UUID
    url: str
    expires_at: datetime
    is_replayed: bool


class _FirstSent(msgspec.Struct, frozen=True):
    """What is kept of the answer: the address is sealed with the link."""

    link_id: uuid.UUID
    expires_at: datetime


async def send_link(runtime: Runtime, caller: Caller, ask: LinkAsk) -> SentLink:
    """Make a link for a client and mail it, in one transaction; one to the same address takes its place.

    Raises:
        NotFound: there is no such quote or draft of this partner.
        QuoteInProgress: it is still being worked on.
        WrongState: nothing can be signed for it.
        InvalidRequest: the address, name or text breaks a rule, or too many links were sent; all at once.
    """
    sealer, rules = runtime.sealer, runtime.rules
    async with runtime.database.transaction() as tx:
        answer = await idempotently(tx, caller, partial(_send, tx, sealer, rules, caller, ask))
        first = msgspec.json.decode(answer, type=_FirstSent)
        # A first answer is replayed for 30 days, and a link is kept for longer.
        url = (await urls_of(tx, sealer, rules, [first.link_id]))[first.link_id]
    return SentLink(
        link_id=first.link_id,
        url=url,
        expires_at=first.expires_at,
        is_replayed=isinstance(answer, FirstAnswer),
    )


async def urls_of(
    tx: Reader, sealer: Sealer, rules: BusinessRules, link_ids: Sequence[uuid.UUID]
) -> dict[uuid.UUID, str]:
    """Return the addresses of links, to be shown to the partner again."""
    tokens = await tokens_of(tx, sealer, link_ids)
    return {link_id: _address(rules, token) for link_id, token in tokens.items()}


async def tokens_of(tx: Reader, sealer: Sealer, link_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, str]:
    sealed = await client_links.sealed_tokens(tx, link_ids)
    return {
        link_id: sealer.open(token, owner=owner_of_token(link_id)).decode()
        for link_id, token in sealed.items()
    }


def _address(rules: BusinessRules, token: str) -> str:
    return f"{rules.platform_url}/s/{token}"


async def _send(tx: Tx, sealer: Sealer, rules: BusinessRules, caller: Caller, ask: LinkAsk) -> bytes:
    problems = [*problems_of_recipient(ask.email, ask.name, ask.message)]
    quote = await _lock(tx, caller, ask.quote_id) if ask.quote_id is not None else None
    if ask.draft_id is not None:
        await _keep_draft(tx, caller, ask.draft_id)
        problems += [*_nothing_asked(ask)]
    last_day = None
    if quote is not None:
        last_day = await _check_option(tx, quote, ask)
        problems += [*await _bad_options(tx, quote, ask)]
    sent = await client_links.count_since(
        tx, quote_id=ask.quote_id, draft_id=ask.draft_id, since=tx.now - A_DAY
    )
    if sent >= MOST_LINKS_A_DAY:
        flaw = f"was sent {MOST_LINKS_A_DAY} links for this within a day: no more are sent today"
        problems.append(Problem("email", "too_many_links", flaw))
    if problems:
        raise InvalidRequest.because(problems)
    facts = None if quote is None else await gather_mail_facts(tx, rules, quote)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    link = ClientLink(
        link_id=tx.new_id(),
        partner_id=caller.partner_id,
        purpose=ask.purpose,
        status=LinkStatus.SENT,
        quote_id=ask.quote_id,
        # The recommended one comes first, so that it is known after another was chosen.
        option_ids=tuple(sorted(ask.option_ids, key=lambda option: option != ask.quote_id)),
        draft_id=ask.draft_id,
        email=ask.email,
        name=ask.name.strip() if ask.name else None,
        message=ask.message,
        asked=ask.asked,
        answers=None,
        created_at=tx.now,
        created_by=caller.actor,
        broker_email=ask.broker_email or (facts.to.broker if facts else ""),
        expires_at=ends_at(tx.now, last_day, rules.zone),
        openings=0,
        opened_at=None,
        chosen_at=None,
        settled_at=None,
        said=None,
    )
    for earlier in await client_links.waiting_for(
        tx,
        quote_ids=ask.option_ids or ((ask.quote_id,) if ask.quote_id else ()),
        draft_id=ask.draft_id,
        purpose=ask.purpose,
        email=ask.email,
    ):
        await client_links.move(tx, earlier, LinkStatus.REVOKED)
    digest = hash_of_token(token)
    assert digest is not None, "our own tokens have their shape"
    sealed = sealer.seal(token.encode(), owner=owner_of_token(link.link_id))
    await client_links.add(tx, link, token_sha256=digest, sealed_token=sealed)
    about = about_of(facts) if facts else ask.about
    assert about is not None, "a link that is about no quote says what it is about"
    await write_secret_mail(
        tx,
        sealer,
        link.quote_id,
        link_mail(link, about, zone=rules.zone),
        secret=_address(rules, token),
    )
    if quote is not None:
        await advance_quote(tx, quote, Trigger.SEND_TO_CLIENT, actor=caller.actor, said=noted(link))
        await _let_play(tx, rules, quote, link)
    return msgspec.json.encode(_FirstSent(link.link_id, link.expires_at))


async def _lock(tx: Tx, caller: Caller, quote_id: uuid.UUID) -> Quote:
    if await quotes.find(tx, quote_id, partner_id=caller.partner_id) is None:
        raise NotFound("There is no such quote.")
    quote = await lock_quote(tx, quote_id)
    if quote.status in NOT_READY:
        raise QuoteInProgress("The quote is not ready yet.")
    return quote


async def _keep_draft(tx: Tx, caller: Caller, draft_id: uuid.UUID) -> None:
    """Lock a draft that is asked about, and keep it for as long as the link."""
    draft = await drafts.lock(tx, draft_id, partner_id=caller.partner_id)
    if draft is None:
        raise DraftGone
    if draft.sent_as is not None:
        raise InvalidRequest(
            "This quote was sent meanwhile: nothing is asked any more.", code="already_settled"
        )
    await drafts.keep_longer(tx, draft_id)


def _nothing_asked(ask: LinkAsk) -> Sequence[Problem]:
    flaw = "must be chosen: at least one"
    return () if ask.asked else [Problem("asked", "required", flaw)]


async def _check_option(tx: Tx, quote: Quote, ask: LinkAsk) -> date | None:
    """Refuse what cannot be signed or asked any more; return the last day of the option."""
    standing = await find_standing(tx, quote)
    if ask.purpose is LinkPurpose.ANSWERS:
        find_move(quote.status, Trigger.SEND_TO_CLIENT)
        return standing.last_day
    if (why := why_not_signable(standing)) is not None:
        raise WrongState(why.message, status=quote.status, available_statuses=TAKES_PAPERS)
    return standing.last_day


async def _bad_options(tx: Tx, quote: Quote, ask: LinkAsk) -> Sequence[Problem]:
    """Report options of a proposal that are not offered with the recommended one."""
    if ask.purpose is not LinkPurpose.PROPOSAL:
        return ()
    offered = {
        other
        for status in TAKES_PAPERS
        for other in await submissions.options_in(tx, quote.submission_id, status)
    }
    if quote.quote_id not in ask.option_ids or not {*ask.option_ids} <= offered:
        return [Problem("option_ids", "not_offered", "must be options of this request that are offered")]
    return ()


async def _let_play(tx: Tx, rules: BusinessRules, quote: Quote, link: ClientLink) -> None:
    """In the demo, a name may have its client sign or object at once."""
    stored = await submissions.get(tx, quote.submission_id)
    if link.purpose is not LinkPurpose.ANSWERS and rules.demo_outcomes.played_client(stored.submission.name):
        await queue.enqueue(tx, PLAY_CLIENT, [str(link.link_id)])


async def write_secret_mail(
    tx: Tx, sealer: Sealer, quote_id: uuid.UUID | None, mail: Mail, *, secret: str
) -> None:
    """Write a mail with a secret that only its recipient sees, sealed until it is sent."""
    body = mail_body(mail, on=tx.today)
    mail_id = await mails.write(tx, quote_id, mail, body=body.text, html=body.html)
    assert mail_id is not None, "each link has its own kind"
    await mails.keep_sealed_link(tx, mail_id, sealer.seal(secret.encode(), owner=owner_of_address(mail_id)))
