"""A client who opens a link, gets the code and signs."""

import uuid
from dataclasses import replace
from typing import Any

from bindery.actions.signing.choose_option import choose_option
from bindery.actions.signing.find_link import ClientVisit, standing_of
from bindery.actions.signing.open_link import OpenedLink, open_link
from bindery.actions.signing.send_back import send_back
from bindery.actions.signing.send_code import send_code
from bindery.actions.signing.send_link import LinkAsk, SentLink, send_link
from bindery.actions.signing.sign_application import SignAsk, SignedLink, sign_application
from bindery.domain.access.caller import Caller
from bindery.domain.signing.client_link import ClientLink
from bindery.domain.signing.signing import Signer
from bindery.storage.signing import client_links
from support.service import Service

VISIT = ClientVisit(address="198.51.100.7", agent="Mozilla/5.0 (tests)")
EMAIL = "ann@harborlight.example"
ANN = Signer(name="Ann Example", title="President", is_authorized=True, has_consented=True, code="")


def caller_of(service: Service, key: str | None = None) -> Caller:
    return Caller(
        partner_id=service.partner.partner_id,
        actor=f"partner:{service.partner.key}",
        idempotency_key=key,
        request_hash=b"same",
    )


async def sent(service: Service, quote: dict[str, Any], **asked: Any) -> SentLink:
    ask = LinkAsk(**{"email": EMAIL, "quote_id": uuid.UUID(quote["quote_identifier"]), **asked})
    return await send_link(service.runtime, caller_of(service), ask)


def token_in(link: SentLink) -> str:
    return link.url.rpartition("/")[2]


async def opened(service: Service, link: SentLink, visit: ClientVisit = VISIT) -> OpenedLink:
    return await open_link(service.runtime.database, token_in(link), visit)


async def code_for(service: Service, link: SentLink, visit: ClientVisit = VISIT) -> str:
    shown = (await send_code(service.runtime, token_in(link), visit)).shown
    assert shown is not None, "the demo shows the code"
    return shown


async def ask_for(service: Service, link: SentLink, **changes: Any) -> SignAsk:
    """Return what a client sends who has read the page as it is now."""
    found = await found_link(service, link)
    async with service.runtime.database.reading() as tx:
        standing = await standing_of(tx, found.subject)
    signer = replace(ANN, **{"code": await code_for(service, link), **changes})
    return SignAsk(token=token_in(link), visit=VISIT, shown=standing.terms, signer=signer)


async def signed(service: Service, link: SentLink, **changes: Any) -> SignedLink:
    return await sign_application(service.runtime, await ask_for(service, link, **changes))


async def found_link(service: Service, link: SentLink) -> ClientLink:
    async with service.runtime.database.reading() as tx:
        return await client_links.get(tx, link.link_id)


async def signing(service: Service, ask: SignAsk) -> SignedLink:
    return await sign_application(service.runtime, ask)


async def replaced(service: Service, link: SentLink, ask: SignAsk) -> SignAsk:
    """Return the same as somebody sends who has read the page again."""
    found = await found_link(service, link)
    async with service.runtime.database.reading() as tx:
        standing = await standing_of(tx, found.subject)
    return replace(ask, shown=standing.terms)


async def sent_back(service: Service, link: SentLink, text: str) -> ClientLink:
    runtime = service.runtime
    return await send_back(runtime.database, runtime.rules, token_in(link), VISIT, text)


async def chosen_option(service: Service, link: SentLink, quote: dict[str, Any]) -> ClientLink:
    chosen = uuid.UUID(quote["quote_identifier"])
    return await choose_option(service.runtime.database, token_in(link), VISIT, chosen)


def both(*quotes: dict[str, Any]) -> tuple[uuid.UUID, ...]:
    return tuple(uuid.UUID(quote["quote_identifier"]) for quote in quotes)


async def signed_by_token(service: Service, token: str) -> SignedLink:
    """Open a link, have the code mailed and sign."""
    page = await open_link(service.runtime.database, token, VISIT)
    assert page.standing is not None
    code = (await send_code(service.runtime, token, VISIT)).shown
    signer = replace(ANN, code=code or "")
    ask = SignAsk(token=token, visit=VISIT, shown=page.standing.terms, signer=signer)
    return await sign_application(service.runtime, ask)
