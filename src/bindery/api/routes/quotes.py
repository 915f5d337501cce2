from starlette.responses import Response

from bindery.actions.read_request import ReadRequest, read_request
from bindery.actions.submit_quotes import SubmitAsk, submit_quotes
from bindery.actions.wait_for_quote import wait_for_quote
from bindery.api.bodies import BodyDecoder, Malformed
from bindery.api.call import Call, json_response
from bindery.base.errors import NotFound
from bindery.contract.errors import ErrorProblem, NotReadyBody
from bindery.contract.quotes import CreateQuotesRequest
from bindery.contract.service import ReferralReason, ValidateResponse
from bindery.domain.lifecycle import NOT_READY
from bindery.domain.quote_view import show_quote
from bindery.domain.rating.tariff import tariff_in_force
from bindery.domain.screening import foreseeable_reasons
from bindery.domain.submission.parts import parts_of, salvage_parts

RETRY_AFTER_S = 2
_decoder = BodyDecoder(CreateQuotesRequest)


async def create_quotes(call: Call) -> Response:
    """Take a quote request in and answer with its receipt."""
    body = await call.read_json()
    key = call.idempotency_key
    read = await _read(call, body)
    submission = read.reading.accepted()
    assert read.broker is not None, "an accepted submission has a known broker"
    receipt = await submit_quotes(
        call.runtime,
        SubmitAsk(
            partner=call.partner,
            broker=read.broker,
            submission=submission,
            company_id=read.company_id,
            body=body.decode(),
            idempotency_key=key,
            request_hash=call.request_hash(body),
        ),
    )
    return json_response(receipt)


async def validate_quotes(call: Call) -> Response:
    """Say what POST `/quotes` would say of the body; write nothing."""
    read = await _read(call, await call.read_json())
    submission = read.reading.submission
    tariff = tariff_in_force(call.runtime.business_day(await call.runtime.database.now()))
    reasons = foreseeable_reasons(submission, tariff, sanctions=call.runtime.sanctions) if submission else ()
    return json_response(
        ValidateResponse(
            valid=submission is not None,
            errors=[ErrorProblem(path=p.path, code=p.code, message=p.message) for p in read.reading.problems],
            missing=list(read.reading.missing),
            referral_reasons=[
                ReferralReason(code=r.code, text=r.text, recommendation=r.recommendation) for r in reasons
            ],
        )
    )


async def _read(call: Call, body: bytes) -> ReadRequest:
    decoded = _decoder.decode(body)
    if isinstance(decoded, Malformed):
        return await read_request(call.runtime, call.partner, salvage_parts(decoded.raw), decoded.problems)
    return await read_request(call.runtime, call.partner, parts_of(decoded))


async def get_quote(call: Call) -> Response:
    """Show a quote, or say that it is not ready; `Prefer: wait` holds the answer until it is."""
    identifier = call.identifier("identifier")
    seen = await wait_for_quote(
        call.runtime, identifier, partner_id=call.partner.partner_id, wait_s=call.preferred_wait_s
    )
    if seen is None:
        raise NotFound(f"There is no quote {identifier}.")
    quote = seen.quote
    if quote.status in NOT_READY:
        body = NotReadyBody(
            error="The quote is not ready yet.",
            quote_identifier=str(quote.quote_id),
            quote_status=quote.status,
        )
        return json_response(body, 202, {"Retry-After": str(RETRY_AFTER_S)})
    shown = show_quote(quote, client=seen.client, term=seen.term, contingencies=seen.contingencies)
    return call.json_with_etag(shown)
