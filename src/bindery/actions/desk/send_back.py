from bindery.actions.documents.write_mails import gather_mail_facts, write_mails
from bindery.actions.quote.advance_quote import advance_quote, bring_back_siblings, policy_of
from bindery.base.errors import InvalidRequest, WrongState
from bindery.contract.event_details import PolicyRenewalOffered, QuotePublished
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.business_rules import BusinessRules, long_date
from bindery.domain.messages.question_mails import bind_sent_back_mail
from bindery.domain.quote.lifecycle import Trigger, find_move
from bindery.domain.quote.quote import QUOTE_OPEN_FOR, Quote, is_expired
from bindery.domain.quote.repricing import reprice_today
from bindery.domain.screening.rules import applicant_of
from bindery.storage.database import Tx
from bindery.storage.policy import policies
from bindery.storage.submission import submissions


async def send_back(tx: Tx, rules: BusinessRules, quote: Quote, *, actor: str, reason: str) -> None:
    """Open the option of a requested bind again, as it was offered, with what the broker is to change.

    Options that the request had set aside come back. The request itself is in the journal; the next one is
    made anew, on other days if need be.

    Raises:
        InvalidRequest: nothing says what to change.
        WrongState: no bind waits, or the last day to bind is past.
    """
    find_move(quote.status, Trigger.SEND_BACK)
    if not reason.strip():
        raise InvalidRequest.at("reason", "required", "is required: it tells the broker what to change")
    last_day = quote.expires_on
    assert last_day is not None, "only an offer can be asked to be bound"
    if is_expired(last_day, today=tx.today):
        said = f"It could be bound until {long_date(last_day)}: sent back, it would have expired."
        raise WrongState(said, status=quote.status, available_statuses=[QuoteStatus.QUOTE_BIND_REQUESTED])
    stored = await submissions.get(tx, quote.submission_id)
    asked = await policy_of(tx, quote)
    if asked.term != stored.submission.term:
        # It was priced for the days of the request. The tariff is that of the offer.
        applicant = applicant_of(stored.submission, scan=stored.scan, sanctions=rules.sanctions)
        quote = reprice_today(quote, applicant, today=last_day - QUOTE_OPEN_FOR, asked_for="dates")
    await policies.forget_ask(tx, quote.quote_id)
    if stored.renews is None:
        said_back = QuotePublished(
            premium=quote.premium, quote_expiration_date=last_day, sent_back=reason.strip()
        )
        opened = await advance_quote(tx, quote, Trigger.SEND_BACK, actor=actor, said=said_back)
    else:
        offered = PolicyRenewalOffered(
            renews=str(stored.renews),
            premium=quote.premium,
            quote_expiration_date=last_day,
            sent_back=reason.strip(),
        )
        opened = await advance_quote(tx, quote, Trigger.SEND_BACK_OFFER, actor=actor, said=offered)
    await bring_back_siblings(tx, opened, actor=actor)
    facts = await gather_mail_facts(tx, rules, opened)
    await write_mails(tx, quote.quote_id, [bind_sent_back_mail(facts, reason=reason)])
