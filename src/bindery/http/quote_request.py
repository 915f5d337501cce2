"""Reading a create-quote request: the same checks for the API and for a quote entered by hand."""

from collections.abc import Sequence
from dataclasses import dataclass

from bindery.actions.submission.submit_quotes import SubmitAsk, find_conflicts
from bindery.base.errors import Problem
from bindery.base.ids import IDENTIFIER_SHAPE
from bindery.contract.quotes import CreateQuotesRequest
from bindery.domain.access.caller import Caller
from bindery.domain.quote.clearance import Applying, Cleared, Conflict, block_problems
from bindery.domain.rating.tariff import tariff_in_force
from bindery.domain.screening.case import Reason
from bindery.domain.screening.rules import foreseeable_reasons
from bindery.domain.submission.parts import parts_of, salvage_parts
from bindery.domain.submission.reading import Reading, ReadingContext, raised_terms, read_submission
from bindery.http.bodies import BodyDecoder, Malformed, WellFormed
from bindery.runtime import Runtime
from bindery.storage.access import legacy_ids
from bindery.storage.access.partners import Broker
from bindery.storage.database import Database
from bindery.storage.submission import submissions

_decoder = BodyDecoder(CreateQuotesRequest)


@dataclass(frozen=True, slots=True)
class QuoteRequest:
    """A create-quote request, checked against what the service knows."""

    decoded: WellFormed[CreateQuotesRequest] | Malformed
    reading: Reading
    broker: Broker | None
    company_id: int | None

    def accepted_from(self, caller: Caller) -> SubmitAsk:
        """Return what is submitted in the caller's name.

        Raises:
            InvalidRequest: something is wrong with the request.
        """
        submission = self.reading.accepted()
        assert self.broker is not None, "an accepted submission has a known broker"
        assert isinstance(self.decoded, WellFormed), "an accepted submission keeps the schema"
        return SubmitAsk(
            caller=caller,
            broker=self.broker,
            submission=submission,
            company_id=self.company_id,
            body=self.decoded.kept.decode(),
        )


async def read_quote_request(runtime: Runtime, partner_id: int, body: bytes) -> QuoteRequest:
    """Look up what the request refers to and run every check over it; write nothing."""
    decoded = _decoder.decode(body)
    problems: tuple[Problem, ...] = ()
    unknown: tuple[Problem, ...] = ()
    if isinstance(decoded, Malformed):
        parts, problems = salvage_parts(decoded.raw), decoded.problems
    else:
        parts, unknown = parts_of(decoded.value), decoded.unknown
    broker = await runtime.access.find_broker(partner_id, parts.broker_email) if parts.broker_email else None
    company_id = (
        await _find_company(runtime.database, partner_id, parts.company_id)
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
        problems,
        unknown,
    )
    return QuoteRequest(decoded, reading, broker, company_id)


async def _find_company(database: Database, partner_id: int, sent: str | int) -> int | None:
    text = str(sent)
    if not IDENTIFIER_SHAPE.fullmatch(text):
        return None
    async with database.reading() as tx:
        for company_id in await legacy_ids.company_ids_of(tx, text, partner_id=partner_id):
            if await submissions.exists(tx, company_id, partner_id=partner_id):
                return company_id
    return None


@dataclass(frozen=True, slots=True)
class Judgment:
    """What a request would lead to: what is wrong, what would be taken otherwise than sent, and referred."""

    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    missing: tuple[str, ...]
    reasons: Sequence[Reason]


async def judge_quote_request(runtime: Runtime, partner_id: int, request: QuoteRequest) -> Judgment:
    reading = request.reading
    if (submission := reading.submission) is None:
        return Judgment(reading.problems, request.decoded.unknown, reading.missing, ())
    conflict = await find_conflict(runtime, partner_id, submission, request.company_id)
    tariff = tariff_in_force(await runtime.database.today())
    return Judgment(
        tuple(block_problems(conflict.kinds).values()),
        tuple(
            Problem(correction.field, correction.code, correction.text)
            for correction in (*submission.corrections, *raised_terms(submission, tariff))
        ),
        (),
        foreseeable_reasons(submission, tariff, sanctions=runtime.rules.sanctions),
    )


async def find_conflict(
    runtime: Runtime, partner_id: int, applicant: Cleared, company_id: int | None
) -> Conflict:
    """Return the conflict of an applicant with other organizations; the demo only simulates it."""
    async with runtime.database.reading() as tx:
        applying = Applying(applicant, partner_id=partner_id, company_id=company_id)
        (conflict,) = await find_conflicts(tx, runtime.rules, [applying])
    return conflict
