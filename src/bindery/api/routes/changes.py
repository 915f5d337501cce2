import uuid

from starlette.responses import Response

from bindery.actions.policy import change_policy
from bindery.api.call import Call, json_response
from bindery.base.errors import MalformedIdentifier, NotFound
from bindery.contract.changes import PolicyChangeAsk, PolicyChangeList
from bindery.http.bodies import BodyDecoder
from bindery.storage.policy import changes
from bindery.storage.quote import quotes

_ask = BodyDecoder(PolicyChangeAsk)


async def ask(call: Call) -> Response:
    body = await call.read_json()
    call.check_idempotency_key()
    asked = call.decoded(_ask, body).value
    quote_id = await _quote_id(call)
    runtime = call.runtime
    return json_response(
        await change_policy.ask_for_change(
            runtime.database, runtime.rules, call.caller(body), quote_id, asked
        )
    )


async def accept(call: Call) -> Response:
    call.check_idempotency_key()
    quote_id, change_id = await _quote_id(call), _change_id(call)
    runtime = call.runtime
    return json_response(
        await change_policy.accept_change(
            runtime.database, runtime.rules, call.caller(b""), quote_id, change_id
        )
    )


async def withdraw(call: Call) -> Response:
    call.check_idempotency_key()
    quote_id, change_id = await _quote_id(call), _change_id(call)
    return json_response(
        await change_policy.withdraw_change(call.runtime.database, call.caller(b""), quote_id, change_id)
    )


async def list_changes(call: Call) -> Response:
    quote_id = await _quote_id(call)
    async with call.runtime.database.reading() as tx:
        found = await changes.of_policy(tx, quote_id)
        shown = [change.shown(tx.today) for change in found]
    return json_response(PolicyChangeList(changes=shown))


async def show(call: Call) -> Response:
    quote_id, change_id = await _quote_id(call), _change_id(call)
    async with call.runtime.database.reading() as tx:
        change = await changes.find(tx, quote_id, change_id)
        if change is None:
            raise NotFound("The policy has no such change.")
        return json_response(change.shown(tx.today))


def _change_id(call: Call) -> uuid.UUID:
    text = call.identifier("change")
    try:
        return uuid.UUID(text)
    except ValueError:
        raise MalformedIdentifier("A change_id is a UUID.") from None


async def _quote_id(call: Call) -> uuid.UUID:
    quote_id = await call.quote_id_of(call.identifier("identifier"))
    async with call.runtime.database.reading() as tx:
        if quote_id is None or await quotes.find(tx, quote_id, partner_id=call.partner.partner_id) is None:
            # Without the identifier: another partner's quote is answered like one that is not there.
            raise NotFound("There is no such quote.")
    return quote_id
