"""What an underwriter's decision leads to, shown before the button is pressed."""

from collections.abc import Collection, Iterable, Sequence
from datetime import date
from typing import Final, assert_never

from msgspec import Struct

from bindery.contract.vocabulary import ContingencyType, QuoteStatus
from bindery.domain.policy.binding import BindConcern, decide_approval, is_last_open
from bindery.domain.policy.cancellation import reinstate_by
from bindery.domain.policy.contingencies import TIME_TO_ANSWER, Contingency, in_the_way
from bindery.domain.quote.quote import Quote, expires_on
from bindery.domain.text import listed
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.shown.option import options_named, shown_number
from bindery.web.shown.words import counted, day, money

MOST_NAMED: Final = 3
"""More options than that are counted rather than named."""


class Outcome(Struct, frozen=True):
    """What a decision does, shown above its button; `does` is what the eye should find first."""

    does: str
    more: str = ""
    is_possible: bool = True


def approval_outcome(
    picked: Sequence[Quote],
    contingency: str,
    contingency_type: str,
    *,
    is_renewal: bool,
    today: date,
    from_list: int = 0,
) -> Outcome:
    """Return what approving these options on the terms of the form does."""
    if not picked:
        return Outcome("Tick an option to decide about it.", is_possible=False)
    numbers = [str(shown_number(quote.option_number)) for quote in picked]
    unpriced = [number for number, quote in zip(numbers, picked, strict=True) if quote.premium is None]
    if unpriced:
        has = "has" if len(unpriced) == 1 else "have"
        return Outcome(
            f"{_capital(options_named(unpriced))} {has} no price.", "Type a premium.", is_possible=False
        )
    at, what = _at(picked), _named(numbers)
    subject = f" Subject to {counted(from_list, 'item')} of the list." if from_list else ""
    if contingency.strip():
        when = "before" if contingency_type == ContingencyType.PRE_BIND else "after"
        subject += f" Subject to what you typed, needed {when} the bind."
    if is_renewal:
        return Outcome("Offers the renewal", f"at {at}, until the expiring policy ends.{subject}")
    return Outcome(f"Publishes {what}", f"at {at}, open until {day(expires_on(today))}.{subject}")


def amendment_outcome(picked: Sequence[Quote], changed: Collection[str], *, is_subject: bool) -> Outcome:
    """Return what amending these open options does; `changed` are those for which terms were typed."""
    numbers = [str(shown_number(quote.option_number)) for quote in picked]
    subject = " Subject to what you ticked or typed, too." if is_subject else ""
    on_other_terms = [quote for quote in picked if str(quote.quote_id) in changed]
    if not on_other_terms:
        said = "Adds what you ticked or typed" if subject else "Change the terms or add a contingency."
        more = f"to {_named(numbers)}, and tells the partner." if subject else ""
        return Outcome(said, more, is_possible=bool(subject))
    last_days = {quote.expires_on for quote in picked if quote.expires_on is not None}
    until = f", open until {day(max(last_days))} as before" if last_days else ""
    return Outcome(
        f"Amends {_named(numbers)}",
        f"to {_at(picked)}{until}; the letter is replaced and the partner told.{subject}",
    )


def _named(numbers: list[str]) -> str:
    return options_named(numbers) if len(numbers) <= MOST_NAMED else f"{len(numbers)} options"


def _at(picked: Sequence[Quote]) -> str:
    premiums = [quote.premium or 0 for quote in picked]
    lowest, highest = money(min(premiums)), money(max(premiums))
    if lowest == highest:
        return f"{lowest} each" if len(picked) > 1 else lowest
    if len(picked) > MOST_NAMED:
        return f"{lowest} to {highest}"
    return listed(map(money, premiums))


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def decision_outcome(record: QuoteRecord, *, canceled_on: date | None, today: date) -> Outcome | None:
    """Return what the decision about a requested bind or a canceled policy does."""
    match record.quote.status:
        case QuoteStatus.QUOTE_BIND_REQUESTED:
            return _approved_bind(record, today)
        case QuoteStatus.POLICY_CANCELED if canceled_on is not None:
            last_day = reinstate_by(canceled_on)
            if today > last_day:
                said = f"{record.policy_number} could be reinstated until {day(last_day)}."
                return Outcome(said, is_possible=False)
            return Outcome(
                f"Reinstating puts {record.policy_number} back in force without a gap.",
                f"This is possible until {day(last_day)}.",
            )
        case _:
            return None


def asked_term(record: QuoteRecord) -> str:
    if record.quote.status is not QuoteStatus.QUOTE_BIND_REQUESTED:
        return ""
    return f"{day(record.term.effective)} to {day(record.term.expiration)}"


def begins_in_the_past(record: QuoteRecord, today: date) -> str:
    """Return how far back the cover of a requested bind would begin; empty if it would not."""
    gone = (today - record.term.effective).days
    if record.quote.status is not QuoteStatus.QUOTE_BIND_REQUESTED or gone <= 0:
        return ""
    return f"Cover would begin on {day(record.term.effective)}, {counted(gone, 'day')} in the past."


def _approved_bind(record: QuoteRecord, today: date) -> Outcome:
    is_signed = bool(record.attested) or any(file.judged.signed_electronically for file in record.files)
    approval = decide_approval(
        record.contingencies, attested=is_signed, effective=record.term.effective, today=today
    )
    if approval.fulfil_by is None:
        outcome = "Binding issues the policy at once"
    else:
        outcome = f"Binding gives a binder, due {day(approval.fulfil_by)}"
    closed = [f"“{owed.text}”" for owed, _ in approval.closes]
    end = f" and closes {listed(closed)}." if closed else "."
    return Outcome(f"{outcome}{end}", f"Cover is for {asked_term(record)}.")


def closing_outcome(record: QuoteRecord, contingency: Contingency) -> str:
    """Return what accepting or waiving an open contingency leads to."""
    is_bound = record.quote.status is QuoteStatus.POLICY_ACTIVE
    again = ""
    if contingency.contingency_id in record.received:
        days = f", with at least {TIME_TO_ANSWER.days} days to answer" if is_bound else ""
        again = f" Rejecting asks the broker for it again by mail, with your text{days}."
    if is_bound and is_last_open(contingency, record.contingencies):
        return (
            f"It is the last open item: accepting or waiving it issues policy {record.policy_number} and "
            f"mails the broker.{again}"
        )
    return f"Accepting or waiving it closes it and notifies the partner.{again}"


def closing_warning(record: QuoteRecord, contingency: Contingency) -> str:
    if not contingency.is_signature or contingency.contingency_id in record.uploaded_for:
        return ""
    return (
        "No signed application is on file. If you close this all the same, the policy does not say that a "
        "signed copy is there."
    )


def concern_in_words(concern: BindConcern, owed: Iterable[Contingency]) -> str:
    """Return the clause that follows `because`; `owed` are the contingencies of the quote."""
    match concern:
        case BindConcern.RETROACTIVE_DATE:
            return "the retroactive date reaches back further than quoted"
        case BindConcern.STILL_OPEN:
            still_open = [f"“{contingency.text}”" for contingency in in_the_way(owed)]
            return f"this is still open: {listed(still_open)}" if still_open else "something was still open"
        case BindConcern.AUTHORITY:
            return "the insurer's authority for it has to be confirmed"
        case _:
            assert_never(concern)
