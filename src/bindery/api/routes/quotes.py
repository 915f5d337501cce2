from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec
from starlette.responses import Response

from bindery.actions.submission.submit_quotes import SubmitAsk, find_conflicts
from bindery.api.bodies import BodyDecoder, Malformed, WellFormed
from bindery.api.call import JSON, Call, json_response, not_ready_response
from bindery.api.errors import shown_problems
from bindery.api.wait_for_quote import wait_until_ready
from bindery.base.errors import ListedProblems, NotFound, Problem
from bindery.base.ids import IDENTIFIER_SHAPE
from bindery.contract.quotes import CreateQuotesRequest
from bindery.contract.service import ReferralReason, ValidateResponse
from bindery.domain.quote.clearance import Applying, block_problems
from bindery.domain.quote.lifecycle import NOT_READY
from bindery.domain.rating.tariff import tariff_in_force
from bindery.domain.screening.case import Reason
from bindery.domain.screening.rules import foreseeable_reasons
from bindery.domain.submission.parts import Parts, parts_of, salvage_parts
from bindery.domain.submission.reading import Reading, ReadingContext, raised_terms, read_submission
from bindery.http.representation import NO_STORE, Representation
from bindery.http.show_quote import show_quote
from bindery.runtime import Runtime
from bindery.storage import idempotency
from bindery.storage.access import legacy_ids
from bindery.storage.access.partners import Broker, Partner
from bindery.storage.database import Database
from bindery.storage.quote import quote_view
from bindery.storage.submission import submissions


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A create-quote request, checked against what the service knows."""

    reading: Reading
    broker: Broker | None
    company_id: int | None


async def read_request(
    runtime: Runtime,
    partner: Partner,
    parts: Parts,
    schema_problems: Iterable[Problem] = (),
    unknown_fields: Iterable[Problem] = (),
) -> ReadRequest:
    """Look up what the request refers to and run every check over it; write nothing."""
    broker = (
        await runtime.access.find_broker(partner.partner_id, parts.broker_email)
        if parts.broker_email
        else None
    )
    company_id = (
        await _find_company(runtime.database, partner, parts.company_id)
        if parts.company_id is not None
        else None
    )
    reading = read_submission(
        parts,
        ReadingContext(
            today=await runtime.database.today(),
            programs=runtime.settings.programs,
            broker_is_known=broker is not None,
            company_is_known=parts.company_id is None or company_id is not None,
        ),
        schema_problems,
        unknown_fields,
    )
    return ReadRequest(reading, broker, company_id)


async def _find_company(database: Database, partner: Partner, sent: str | int) -> int | None:
    text = str(sent)
    if not IDENTIFIER_SHAPE.fullmatch(text):
        return None
    async with database.reading() as tx:
        for company_id in await legacy_ids.company_ids_of(tx, text, partner_id=partner.partner_id):
            if await submissions.exists(tx, company_id, partner_id=partner.partner_id):
                return company_id
    return None


_decoder = BodyDecoder(CreateQuotesRequest)


async def create_quotes(call: Call) -> Response:
    body = await call.read_json()
    caller = call.caller(body)
    decoded, read = await _read(call, body)
    if read.reading.submission is None:
        # What was accepted once is answered as it was then, also where it would be refused today.
        async with call.runtime.database.reading() as tx:
            first_answer = await idempotency.replay(tx, caller)
        if first_answer is not None:
            return json_response(first_answer)
    submission = read.reading.accepted()
    assert read.broker is not None, "an accepted submission has a known broker"
    assert isinstance(decoded, WellFormed), "an accepted submission keeps the schema"
    receipt = await call.shared.submissions.do(
        SubmitAsk(
            caller=caller,
            broker=read.broker,
            submission=submission,
            company_id=read.company_id,
            body=decoded.kept.decode(),
        ),
    )
    return json_response(receipt)


async def validate_quotes(call: Call) -> Response:
    decoded, read = await _read(call, await call.read_json())
    problems, warnings = read.reading.problems, decoded.unknown
    reasons: Sequence[Reason] = ()
    if (submission := read.reading.submission) is not None:
        async with call.runtime.database.reading() as tx:
            applying = Applying(submission, partner_id=call.partner.partner_id, company_id=read.company_id)
            (conflict,) = await find_conflicts(tx, call.runtime.rules, [applying])
        problems = tuple(block_problems(conflict.kinds).values())
        tariff = tariff_in_force(tx.today)
        reasons = foreseeable_reasons(submission, tariff, sanctions=call.runtime.rules.sanctions)
        warnings = tuple(
            Problem(correction.field, correction.code, correction.text)
            for correction in (*submission.corrections, *raised_terms(submission, tariff))
        )
    listed = ListedProblems.of(problems)
    return json_response(
        ValidateResponse(
            valid=not problems,
            errors=shown_problems(listed.problems),
            errors_left_out=listed.left_out,
            warnings=shown_problems(warnings),
            missing=list(read.reading.missing),
            referral_reasons=[
                ReferralReason(code=r.code, text=r.text, recommendation=r.recommendation) for r in reasons
            ],
        )
    )


async def _read(call: Call, body: bytes) -> tuple[WellFormed[CreateQuotesRequest] | Malformed, ReadRequest]:
    decoded = _decoder.decode(body)
    if isinstance(decoded, Malformed):
        parts = salvage_parts(decoded.raw)
        return decoded, await read_request(call.runtime, call.partner, parts, decoded.problems)
    parts = parts_of(decoded.value)
    return decoded, await read_request(call.runtime, call.partner, parts, unknown_fields=decoded.unknown)


async def get_quote(call: Call) -> Response:
    identifier, partner_id = call.identifier("identifier"), call.partner.partner_id
    wait_s = call.preferred_wait_s
    looking = wait_until_ready(call.runtime, identifier, partner_id=partner_id, wait_s=wait_s)
    state = await (call.while_connected(looking) if wait_s else looking)
    if state is None:
        # Without the identifier: another partner's quote is answered like one that is not there.
        raise NotFound("There is no such quote.")
    applied = {"Preference-Applied": f"wait={wait_s}"} if wait_s else {}
    if state.status in NOT_READY:
        return not_ready_response(state, applied)
    answer = call.shared.shown_quotes.find(state.quote_id, state.version)
    if answer is None:
        async with call.runtime.database.reading() as tx:
            seen = await quote_view.see(tx, state.quote_id, partner_id=partner_id)
        assert seen is not None, "a quote is never deleted"
        answer = Representation(msgspec.json.encode(show_quote(seen)), JSON)
        # It may have changed since the look: the answer is kept for the version that it was read with, unless
        # it changes with the day or with another quote, which no version tells.
        if not seen.changes_with_time:
            call.shared.shown_quotes.keep(state.quote_id, seen.version, answer)
    return call.with_etag(answer, {"Cache-Control": NO_STORE, **applied})
