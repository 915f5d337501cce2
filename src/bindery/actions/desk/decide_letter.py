import uuid

from bindery.actions.documents.write_mails import write_mails
from bindery.base.errors import InvalidRequest, NotFound
from bindery.domain.business_rules import BusinessRules
from bindery.domain.messages.letter_mails import letter_mail
from bindery.domain.quote.record_letter import LetterDecision, RecordLetter, problems_of_decision
from bindery.storage.database import Database
from bindery.storage.submission import record_letters


async def decide_letter(
    database: Database,
    rules: BusinessRules,
    letter_id: uuid.UUID,
    decision: LetterDecision,
    *,
    reason: str,
    by: str,
) -> RecordLetter:
    """Accept a broker-of-record letter or reject it with a text, and tell who sent it.

    An accepted one lifts the block of what it names, for its partner. Whoever comes second changes nothing,
    and gets the letter as it was decided.

    Raises:
        NotFound: there is no such letter.
        InvalidRequest: the text is missing or breaks a rule.
    """
    if problems := [*problems_of_decision(decision, reason)]:
        raise InvalidRequest.because(problems)
    async with database.transaction() as tx:
        is_first = await record_letters.decide(tx, letter_id, decision, reason=reason, by=by)
        letter = await record_letters.find(tx, letter_id)
        if letter is None:
            raise NotFound("There is no such letter.")
        if is_first:
            await write_mails(tx, None, [letter_mail(letter, platform_url=rules.platform_url)])
    return letter
