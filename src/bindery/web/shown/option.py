import re
from dataclasses import dataclass
from datetime import date
from typing import Final

from bindery.contract.documents import ABOUT, DocumentType, SignatureFinding, UploadFinding, UploadReceipt
from bindery.contract.quote import CanceledPolicy, ContingencyBody, DecisionKind, QuoteBody, UploadBody
from bindery.contract.vocabulary import ContingencyType, QuoteAction, QuoteStatus
from bindery.domain.documents.access import OF_THE_BINDER, OF_THE_POLICY
from bindery.domain.policy.binding import opens_on
from bindery.domain.policy.cancellation import REASON_WORDS
from bindery.domain.policy.policy import came_in_time
from bindery.domain.quote.lifecycle import BINDABLE, CONTINGENT, NOT_READY, OVER
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import AssessmentRecord, from_record
from bindery.domain.submission.value import CHANGED_BY_UNDERWRITER
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.shown.renewal import (
    Outlook,
    asked_for_from,
    cancellation_asked_for,
    outlook_of,
    renewal_in_words,
)
from bindery.web.shown.words import (
    STATUS_WORDS,
    Moment,
    StatusWord,
    Times,
    counted,
    day,
    listed,
    money,
    status_word,
)

ASK_FOR_ANOTHER: Final = "Ask for a new quote."
CHOSEN_LAPSED: Final = f"Another option was bound, but its binder lapsed. {ASK_FOR_ANOTHER}"


def is_lapsed(body: QuoteBody) -> bool:
    """Whether it was conditionally bound, and the condition was not met."""
    return body.decision is not None and body.decision.kind is DecisionKind.LAPSED


def is_on_other_terms(body: QuoteBody) -> bool:
    """Whether an underwriter approved it on other terms than those asked for."""
    return any(correction.code == CHANGED_BY_UNDERWRITER for correction in body.corrections)


def canceled_ahead(body: QuoteBody, today: date) -> date | None:
    """Return the day from which a policy is canceled, while it is still in force until then."""
    if body.cancellation is None:
        return None
    effective = body.cancellation.effective
    return effective if effective > max(today, body.dates.effective) else None


def ending(body: QuoteBody, today: date) -> str:
    if is_lapsed(body):
        by = f" by {day(body.binder.fulfil_by)}" if body.binder is not None else ""
        return (
            f"The conditional binder {body.policy_number} lapsed: what was open was not closed{by}. "
            f"It counts as never in force. {ASK_FOR_ANOTHER}"
        )
    if body.quote_status is QuoteStatus.POLICY_EXPIRED:
        return f"The policy ended on {day(body.dates.expiration)}."
    if body.cancellation is not None:
        return _canceled(body.cancellation, canceled_ahead(body, today))
    return ""


def _canceled(cancellation: CanceledPolicy, ahead: date | None) -> str:
    since = day(cancellation.effective)
    what = (
        f"The policy is in force until {since}, when its cancellation takes effect"
        if ahead
        else f"The policy was canceled from {since} on"
    )
    back = f"; {money(cancellation.returned)} is returned" if cancellation.returned else ""
    due = f"; {money(cancellation.due)} of earned premium is due" if cancellation.due else ""
    return f"{what}{back}{due}. {canceled_because(cancellation)}".strip()


def canceled_because(cancellation: CanceledPolicy) -> str:
    words = REASON_WORDS[cancellation.reason] if cancellation.reason else ""
    said = ": ".join(part for part in (words, cancellation.text) if part)
    return f"{said}." if said and not said.endswith((".", "!", "?")) else said


def term_shown(body: QuoteBody) -> str:
    term = f"{day(body.dates.effective)} to {day(body.dates.expiration)}"
    if is_lapsed(body):
        return f"{term}, never in force"
    if body.cancellation is not None:
        return f"{term}, canceled from {day(body.cancellation.effective)} on"
    return term


def unrenewed(body: QuoteBody, today: date) -> str:
    if body.quote_status is QuoteStatus.POLICY_EXPIRED:
        return f"Policy {body.policy_number} ended on {day(body.dates.expiration)} and was not renewed."
    return ending(body, today)


WARNING: Final = "\N{WARNING SIGN}"
"""Begins what is not good news, where no color can be seen."""


def is_unfit(upload: UploadReceipt | UploadBody) -> bool:
    """Whether a file cannot be what it was sent for."""
    is_partial = upload.pages is not None and upload.pages.found < upload.pages.of
    return upload.finding in UNFIT or upload.signature is SignatureFinding.NOT_FOUND or is_partial


UNFIT: Final = frozenset(
    {
        UploadFinding.ALTERED,
        UploadFinding.OTHER_QUOTE,
        UploadFinding.DAMAGED,
        UploadFinding.NOT_RECOGNIZED,
    }
)

_DEADLINE: Final = re.compile(
    r",? (?P<when>before the bind|within \d+ days of (?:the bind|the new effective date))(?= that\b|$)"
)
WITHDRAWN: Final = "It was withdrawn."


@dataclass(frozen=True, slots=True)
class ShownUpload:
    name: str
    address: str
    received: Moment
    finding: str
    is_unfit: bool


@dataclass(frozen=True, slots=True)
class ShownContingency:
    number: str
    text: str
    state: str
    is_open: bool
    is_needed: bool
    is_received: bool
    when: str
    uploads: tuple[ShownUpload, ...]


@dataclass(frozen=True, slots=True)
class ShownDocument:
    address: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownOption:
    number: int
    quote_id: str
    anchor: str
    status: StatusWord
    sentence: str
    condition: str
    is_in_progress: bool
    may_bind: bool
    may_pause: bool
    may_resume: bool
    may_ask_for_renewal: bool
    may_upload: bool
    closes_at_the_bind: bool
    """Whether a bind with all statements settles the signed application without an underwriter."""
    contingencies: tuple[ShownContingency, ...]
    uploads: tuple[ShownUpload, ...]
    documents: tuple[ShownDocument, ...]
    documents_to_come: str
    policy_number: str
    bound_as: str
    term: str
    cancellation: str
    renews: str
    renewal: str
    is_unfolded: bool
    is_offer: bool


def shown_option(
    record: QuoteRecord,
    body: QuoteBody,
    times: Times,
    *,
    may_act: bool,
    renewed_by: QuoteBody | None = None,
) -> ShownOption:
    """Show an option; `renewed_by` is the quote that renews its policy, where the page has it."""
    quote = record.quote
    actions = frozenset(body.available_actions) if may_act else frozenset()
    return ShownOption(
        number=shown_number(quote.option_number),
        quote_id=str(quote.quote_id),
        anchor=anchor_of(quote),
        status=status_word(
            quote.status, canceled_ahead=canceled_ahead(body, times.today), is_lapsed=is_lapsed(body)
        ),
        sentence=_not_yet(record) or _sentence(body, times),
        condition=_condition(body, times),
        is_in_progress=quote.status in NOT_READY,
        may_bind=may_act and quote.status in BINDABLE and not record.is_early_offer,
        may_pause=QuoteAction.PAUSE_RENEWAL in actions,
        may_resume=QuoteAction.RESUME_RENEWAL in actions,
        may_ask_for_renewal=QuoteAction.REQUEST_RENEWAL in actions,
        may_upload=may_act and quote.status in CONTINGENT,
        closes_at_the_bind=quote.status in BINDABLE and not _is_reviewed(body),
        contingencies=tuple(_contingency(owed, body, times) for owed in body.contingencies),
        uploads=tuple(_upload(body, upload, times) for upload in body.uploads if upload.contingency is None),
        documents=tuple(
            ShownDocument(f"/quote/{quote.quote_id}/document/{kind}", ABOUT[DocumentType(kind)].name)
            for kind in body.available_documents
        ),
        documents_to_come=_to_come(record),
        policy_number=body.policy_number or "",
        bound_as="Binder" if body.binder is not None and body.binder.conditional else "Policy",
        term=term_shown(body),
        cancellation=cancellation_asked_for(body, times),
        renews=_renews(outlook_of(body, renewed_by), times),
        renewal=f"/quote/{body.renewal.renewed_by}" if body.renewal and body.renewal.renewed_by else "",
        is_offer=is_offer(quote),
        is_unfolded=body.policy_number is not None or body.quote_status is QuoteStatus.QUOTE_BIND_REQUESTED,
    )


def shown_number(option_number: int) -> int:
    """Return the number of an option for people, who count from one."""
    return option_number + 1


def options_named(numbers: list[str]) -> str:
    return f"{'option' if len(numbers) == 1 else 'options'} {listed(numbers)}"


def assessment_of(quote: Quote) -> AssessmentRecord | None:
    return from_record(quote.assessment) if quote.assessment is not None else None


def is_offer(quote: Quote) -> bool:
    record = assessment_of(quote)
    return record is not None and record.offered is not None


def anchor_of(quote: Quote) -> str:
    return f"option-{shown_number(quote.option_number)}-{str(quote.quote_id)[-6:]}"


def _renews(outlook: Outlook | None, times: Times) -> str:
    if outlook is None:
        return ""
    return f"{renewal_in_words(outlook)} {asked_for_from(outlook, times.today)}".strip()


def _to_come(record: QuoteRecord) -> str:
    policy = ABOUT[OF_THE_POLICY[0]].name.lower()
    if record.quote.status in BINDABLE:
        binder = listed([ABOUT[kind].name.lower() for kind in OF_THE_BINDER])
        return f"The {binder} come with the bind, the {policy} when it is issued."
    if record.quote.status is QuoteStatus.POLICY_ACTIVE and not record.is_issued:
        return f"The {policy} comes when everything open is closed."
    return ""


def _not_yet(record: QuoteRecord) -> str:
    if record.quote.status not in BINDABLE or not record.is_early_offer:
        return ""
    return f"It can be bound by hand from {day(opens_on(record.term.effective))} on."


def _is_reviewed(body: QuoteBody) -> bool:
    """Whether something is owed before the bind, so that an underwriter decides on it."""
    return any(owed.type is ContingencyType.PRE_BIND and owed.status == "open" for owed in body.contingencies)


def _sentence(body: QuoteBody, times: Times) -> str:
    word = STATUS_WORDS[body.quote_status]
    if body.quote_status in BINDABLE and _is_reviewed(body):
        return "You can ask to bind it; an underwriter decides on the bind."
    if said := ending(body, times.today) or _decided(body) or _condition(body, times):
        return said
    if body.quote_status is QuoteStatus.QUOTE_BIND_REQUESTED:
        term = f"{day(body.dates.effective)} to {day(body.dates.expiration)}"
        return f"{word.meaning.removesuffix('.')}, for {term}."
    if body.quote_status is QuoteStatus.POLICY_ACTIVE and body.dates.effective > times.today:
        return f"The policy is issued; the cover begins on {day(body.dates.effective)}."
    return word.meaning


def _decided(body: QuoteBody) -> str:
    meaning = STATUS_WORDS[body.quote_status].meaning
    if body.decision is not None and body.decision.kind is DecisionKind.APPROVED:
        is_open = body.quote_status in BINDABLE
        return f"Approved on other terms. {meaning}" if is_open and is_on_other_terms(body) else ""
    if body.decision is None or not body.decision.reason:
        return ""
    if body.quote_status is QuoteStatus.QUOTE_REVOKED:
        return WITHDRAWN if body.decision.reason == "withdrawn" else meaning
    return f"{meaning} {body.decision.reason}"


def _condition(body: QuoteBody, times: Times) -> str:
    binder = body.binder
    if binder is None or not binder.conditional or body.quote_status is not QuoteStatus.POLICY_ACTIVE:
        return ""
    if binder.late:
        return (
            f"Conditionally bound: everything came in on {day(binder.received_on)}, in time, and an "
            "underwriter has yet to look at it. The binder holds until then."
        )
    if came_in_time(binder.received_on, binder.fulfil_by):
        return (
            f"Conditionally bound: everything came in on {day(binder.received_on)}. An underwriter looks at "
            f"it by {day(binder.fulfil_by)}."
        )
    return (
        f"Conditionally bound: close the open items by {day(binder.fulfil_by)}"
        f"{_left(binder.fulfil_by, times)}, or the binder lapses."
    )


def _left(until: date | None, times: Times) -> str:
    if until is None or until < times.today:
        return ""
    left = (until - times.today).days
    return " (today is the last day)" if left == 0 else f" ({counted(left, 'day')} left)"


def _without_deadline(text: str) -> tuple[str, str]:
    """Split a contingency's text from its deadline, which pages show once, next to it."""
    found = _DEADLINE.search(text)
    if found is None:
        return text, ""
    return text[: found.start()] + text[found.end() :], found["when"]


def _contingency(owed: ContingencyBody, body: QuoteBody, times: Times) -> ShownContingency:
    is_closed = owed.status != "open"
    is_over = body.quote_status in OVER
    text, said = _without_deadline(owed.text)
    if owed.type is ContingencyType.PRE_BIND:
        when = "before the bind"
    elif body.binder is not None and body.binder.fulfil_by is not None:
        until = day(body.binder.fulfil_by)
        when = f"by {until}"
        if owed.received is not None:
            when = f"late since {until}" if body.binder.late else f"due by {until}"
    else:
        when = said or "within 30 days of the bind"
    return ShownContingency(
        number=owed.contingency_id,
        text=text,
        state=_contingency_state(owed, times, is_over=is_over),
        is_open=not is_closed,
        is_needed=not is_closed and not is_over,
        is_received=owed.received is not None,
        when=when,
        uploads=tuple(
            _upload(body, upload, times, is_settled=is_closed or is_over)
            for upload in body.uploads
            if upload.contingency == owed.contingency_id
        ),
    )


def _closed(owed: ContingencyBody) -> str:
    how = owed.closed_as.capitalize() if owed.closed_as is not None else "Closed"
    return f"{how} ({owed.closed_reason})" if owed.closed_reason else how


def _contingency_state(owed: ContingencyBody, times: Times, *, is_over: bool) -> str:
    if owed.status != "open":
        return _closed(owed)
    if is_over:
        return "No longer needed"
    if owed.received is not None:
        return f"Received {times.on(owed.received).text}, with an underwriter"
    return "Open"


def _upload(body: QuoteBody, upload: UploadBody, times: Times, *, is_settled: bool = False) -> ShownUpload:
    """Show a file; once its contingency is closed, the finding asks for nothing more."""
    return ShownUpload(
        name=upload.name,
        address=f"/quote/{body.quote_identifier}/upload/{upload.document_id}",
        received=times.at(upload.received),
        finding=f"{upload.message.partition('. ')[0].removesuffix('.')}." if is_settled else upload.message,
        is_unfit=is_unfit(upload) and not is_settled,
    )
