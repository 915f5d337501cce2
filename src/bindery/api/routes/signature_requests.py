import uuid
from collections.abc import Sequence

import msgspec
from starlette.responses import Response

from bindery.actions.signing.revoke_link import revoke_link
from bindery.actions.signing.send_link import LinkAsk, send_link, urls_of
from bindery.api.call import Call, json_response, not_ready_response
from bindery.base.errors import InvalidRequest, NotFound, Problem, QuoteInProgress
from bindery.contract.signature_requests import (
    SignatureRequestAsk,
    SignatureRequestBody,
    SignatureRequestsResponse,
    SignatureRequestStatus,
)
from bindery.domain.business_rules import BusinessRules
from bindery.domain.signing.client_link import ClientLink, LinkPurpose, LinkStatus, problems_of_recipient
from bindery.http.bodies import BodyDecoder, Malformed
from bindery.outside.sealing import Sealer
from bindery.storage.database import Reader
from bindery.storage.idempotency import FirstAnswer
from bindery.storage.quote import quotes
from bindery.storage.signing import client_links

MOST_LISTED = 100
_decoder = BodyDecoder(SignatureRequestAsk)


async def request(call: Call) -> Response:
    body = await call.read_json()
    caller = call.caller(body)
    asked = _read(body)
    quote_id = await _quote_id(call)
    ask = LinkAsk(email=asked.email, name=asked.name, message=asked.message or "", quote_id=quote_id)
    try:
        sent = await send_link(call.runtime, caller, ask)
    except QuoteInProgress:
        async with call.runtime.database.reading() as tx:
            return not_ready_response(await quotes.get(tx, quote_id))
    sealer, rules = call.runtime.sealer, call.runtime.rules
    async with call.runtime.database.reading() as tx:
        link = await client_links.get(tx, sent.link_id)
        (shown,) = await _shown(tx, sealer, rules, [link])
    if not sent.is_replayed:
        return json_response(shown)
    # What has happened to it since is not part of the first answer.
    first = msgspec.structs.replace(
        shown,
        status=SignatureRequestStatus.SENT,
        opened_at=None,
        openings=0,
        settled_at=None,
        text=None,
        document_id=None,
    )
    return json_response(FirstAnswer(msgspec.json.encode(first)))


async def list_requests(call: Call) -> Response:
    quote_id = await _quote_id(call)
    sealer, rules = call.runtime.sealer, call.runtime.rules
    async with call.runtime.database.reading() as tx:
        links = await client_links.of_quotes(tx, [quote_id], limit=MOST_LISTED)
        shown = await _shown(tx, sealer, rules, [link for link in links if _is_to_sign(link)])
    return json_response(SignatureRequestsResponse(signature_requests=shown))


async def show(call: Call) -> Response:
    link, sealer, rules = await _link(call), call.runtime.sealer, call.runtime.rules
    async with call.runtime.database.reading() as tx:
        (shown,) = await _shown(tx, sealer, rules, [link])
    return json_response(shown)


async def revoke(call: Call) -> Response:
    link, sealer, rules = await _link(call), call.runtime.sealer, call.runtime.rules
    revoked = await revoke_link(call.runtime.database, call.caller(b""), link.link_id)
    async with call.runtime.database.reading() as tx:
        (shown,) = await _shown(tx, sealer, rules, [revoked])
    return json_response(shown)


def _read(body: bytes) -> SignatureRequestAsk:
    """Read a request, or report everything wrong: whether it is an address, too, where other fields are."""
    decoded = _decoder.decode(body)
    if isinstance(decoded, Malformed):
        raise InvalidRequest.because([*decoded.problems, *_further(decoded)])
    return decoded.value


def _further(decoded: Malformed) -> list[Problem]:
    email = decoded.raw.get("email") if isinstance(decoded.raw, dict) else None
    if not isinstance(email, str) or any(problem.path == "email" for problem in decoded.problems):
        return []
    return [*problems_of_recipient(email, None, "")]


async def _quote_id(call: Call) -> uuid.UUID:
    quote_id = await call.quote_id_of(call.identifier("identifier"))
    async with call.runtime.database.reading() as tx:
        if quote_id is None or await quotes.find(tx, quote_id, partner_id=call.partner.partner_id) is None:
            raise NotFound("There is no such quote.")
    return quote_id


async def _link(call: Call) -> ClientLink:
    identifier = call.identifier("signature_request_id")
    quote_id = await _quote_id(call)
    try:
        link_id = uuid.UUID(identifier)
    except ValueError:
        raise NotFound("There is no such signature request.") from None
    async with call.runtime.database.reading() as tx:
        link = await client_links.find(tx, link_id, partner_id=call.partner.partner_id)
    if link is None or not _is_to_sign(link) or link.quote_id != quote_id:
        raise NotFound("There is no such signature request.")
    return link


def _is_to_sign(link: ClientLink) -> bool:
    return link.purpose is not LinkPurpose.ANSWERS


async def _shown(
    tx: Reader, sealer: Sealer, rules: BusinessRules, links: Sequence[ClientLink]
) -> list[SignatureRequestBody]:
    urls = await urls_of(tx, sealer, rules, [link.link_id for link in links])
    return [_body(link, urls[link.link_id], link.status_at(tx.now)) for link in links]


def _body(link: ClientLink, url: str, status: LinkStatus) -> SignatureRequestBody:
    return SignatureRequestBody(
        signature_request_id=str(link.link_id),
        url=url,
        expires_at=link.expires_at,
        status=SignatureRequestStatus(status),
        quote_identifier=str(link.subject),
        email=link.email,
        name=link.name,
        created_at=link.created_at,
        opened_at=link.opened_at,
        openings=link.openings,
        settled_at=link.settled_at,
        text=link.said,
        document_id=str(link.link_id) if status is LinkStatus.SIGNED else None,
    )
