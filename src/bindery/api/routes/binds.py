import uuid

from starlette.responses import Response

from bindery.actions.policy.bind_quote import BindCall, bind_quote
from bindery.actions.policy.cancel_policy import request_cancellation
from bindery.actions.quote.withdraw_quote import withdraw_quote
from bindery.actions.renewal.request_renewal import request_renewal
from bindery.actions.renewal.set_renewal_type import (
    PAUSE,
    RESUME,
    RenewalChange,
    pause_renewal,
    resume_renewal,
)
from bindery.api.call import Call, json_response, not_ready_response
from bindery.base.errors import MalformedIdentifier, NotFound, QuoteInProgress
from bindery.base.ids import IDENTIFIER_SHAPE
from bindery.contract.binds import BindRequest, CancellationAsk
from bindery.domain.policy.bind_ask import sent_contacts
from bindery.http.bodies import BodyDecoder
from bindery.storage.quote import quotes

_decoder = BodyDecoder(BindRequest)
_cancellation = BodyDecoder(CancellationAsk)


async def bind(call: Call) -> Response:
    body = await call.read_json()
    caller = call.caller(body)
    decoded = call.decoded(_decoder, body)
    request = decoded.value
    identifier = request.quote_identifier
    if not IDENTIFIER_SHAPE.fullmatch(identifier):
        raise MalformedIdentifier("A quote_identifier has 1 to 64 letters, digits, - and _.")
    quote_id = await call.quote_id_of(identifier)
    if quote_id is None:
        raise NotFound("There is no such quote.")
    try:
        receipt = await bind_quote(
            call.runtime.database,
            call.runtime.rules,
            BindCall(
                caller=caller,
                quote_id=quote_id,
                request=request,
                contacts=sent_contacts(decoded.kept),
                unknown_fields=decoded.unknown,
            ),
        )
    except QuoteInProgress:
        async with call.runtime.database.reading() as tx:
            quote = await quotes.find(tx, quote_id, partner_id=call.partner.partner_id)
        assert quote is not None, "a quote is never deleted"
        return not_ready_response(quote)
    return json_response(receipt)


async def pause(call: Call) -> Response:
    quote_id = await _pausable(call, PAUSE)
    return json_response(await pause_renewal(call.runtime.database, call.caller(b""), quote_id))


async def resume(call: Call) -> Response:
    quote_id = await _pausable(call, RESUME)
    return json_response(await resume_renewal(call.runtime.database, call.caller(b""), quote_id))


async def ask_for_renewal(call: Call) -> Response:
    call.check_idempotency_key()
    quote_id = await _quote_id(call)
    return json_response(await request_renewal(call.runtime.database, call.caller(b""), quote_id))


async def withdraw(call: Call) -> Response:
    call.check_idempotency_key()
    quote_id = await _quote_id(call)
    return json_response(await withdraw_quote(call.runtime.database, call.caller(b""), quote_id))


async def cancel(call: Call) -> Response:
    body = await call.read_json()
    call.check_idempotency_key()
    asked = call.decoded(_cancellation, body).value
    quote_id = await _quote_id(call)
    return json_response(
        await request_cancellation(call.runtime.database, call.caller(body), quote_id, asked)
    )


async def _quote_id(call: Call) -> uuid.UUID:
    quote_id = await call.quote_id_of(call.identifier("identifier"))
    async with call.runtime.database.reading() as tx:
        if quote_id is None or await quotes.find(tx, quote_id, partner_id=call.partner.partner_id) is None:
            # Without the identifier: another partner's quote is answered like one that is not there.
            raise NotFound("There is no such quote.")
    return quote_id


async def _pausable(call: Call, change: RenewalChange) -> uuid.UUID:
    call.check_idempotency_key()
    identifier: str = call.request.path_params["identifier"]
    is_shaped = IDENTIFIER_SHAPE.fullmatch(identifier) is not None
    quote_id = await call.quote_id_of(identifier) if is_shaped else None
    if quote_id is None:
        raise change.nothing_to_change()
    return quote_id
