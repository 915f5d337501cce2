import uuid
from datetime import datetime

from bindery.domain.quote.broker_question import BrokerQuestion
from bindery.storage.database import Reader, Tx, columns_of, values_of

_COLUMNS = columns_of(BrokerQuestion)


async def add(tx: Tx, question: BrokerQuestion) -> None:
    await tx.insert("broker_questions", values_of(question))


async def find(tx: Reader, question_id: uuid.UUID, *, partner_id: int | None) -> BrokerQuestion | None:
    """Return a question of a partner; None as the partner is anybody's."""
    statement = f"""
    select {_COLUMNS} from broker_questions
    where question_id = $1 and ($2::integer is null or partner_id = $2)
    """
    return await tx.row(BrokerQuestion, statement, question_id, partner_id)


async def of_submission(tx: Reader, submission_id: uuid.UUID) -> list[BrokerQuestion]:
    """List what was asked about a submission, the oldest first."""
    statement = f"""
    select {_COLUMNS} from broker_questions where submission_id = $1 order by asked_at, question_id
    """
    return await tx.rows(BrokerQuestion, statement, submission_id)


async def answer(
    tx: Tx, question_id: uuid.UUID, text: str, document_id: uuid.UUID | None, *, by: str, at: datetime
) -> bool:
    """Write an answer, unless somebody was first or the question was withdrawn."""
    statement = """
    update broker_questions set answer = $2, document_id = $3, answered_by = $4, answered_at = $5
    where question_id = $1 and answered_at is null and withdrawn_at is null
    """
    return await tx.execute(statement, question_id, text, document_id, by, at) == 1


async def withdraw(tx: Tx, question_id: uuid.UUID, *, at: datetime) -> bool:
    statement = """
    update broker_questions set withdrawn_at = $2
    where question_id = $1 and answered_at is null and withdrawn_at is null and overtaken_at is null
    """
    return await tx.execute(statement, question_id, at) == 1
