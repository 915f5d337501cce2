from collections.abc import Iterable
from dataclasses import dataclass

from bindery.base.errors import Problem
from bindery.base.ids import IDENTIFIER_SHAPE
from bindery.domain.submission.parts import Parts
from bindery.domain.submission.reading import Reading, ReadingContext, read_submission
from bindery.runtime import Runtime
from bindery.storage.access import legacy_ids
from bindery.storage.access.partners import Broker, Partner
from bindery.storage.database import Database
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
