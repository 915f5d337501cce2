"""An option as every page shows it."""

from collections.abc import Mapping
from datetime import date
from typing import Final

from msgspec import Struct

from bindery.contract.documents import ABOUT, DocumentType
from bindery.contract.quote import DecisionKind, QuoteBody
from bindery.contract.vocabulary import ContingencyType, QuoteAction, QuoteStatus
from bindery.domain.documents.access import OF_THE_BINDER, OF_THE_POLICY
from bindery.domain.policy.binding import opens_on
from bindery.domain.policy.changing import is_changeable
from bindery.domain.policy.policy import came_in_time
from bindery.domain.quote.lifecycle import BINDABLE, CONTINGENT, NOT_READY
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import AssessmentRecord, from_record
from bindery.domain.submission.value import CHANGED_BY_UNDERWRITER
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.shown.ended import canceled_ahead, ending, is_lapsed, term_shown
from bindery.web.shown.owed import ShownContingency, ShownUpload, shown_contingency, shown_upload
from bindery.web.shown.renewal import (
    Outlook,
    asked_for_from,
    cancellation_asked_for,
    outlook_of,
    renewal_in_words,
)
from bindery.web.shown.words import (
    STATUS_WORDS,
    WITHDRAWN,
    StatusWord,
    Times,
    counted,
    day,
    listed,
    status_word,
)


def is_on_other_terms(body: QuoteBody) -> bool:
    """Whether an underwriter approved it on other terms than those asked for."""
    return any(correction.code == CHANGED_BY_UNDERWRITER for correction in body.corrections)


REVOKED_BY_ITSELF: Final[Mapping[str, str]] = {
    "submission_changed": STATUS_WORDS[QuoteStatus.QUOTE_REVOKED].meaning,
    "policy_canceled": "The policy that it would have renewed was canceled.",
    "policy_not_renewed": "The insurer does not renew the policy.",
    "policy_changed": "The policy was changed: its renewal is offered again on what it is now.",
}
"""What is said of an option that nobody took back, by the reason on record."""


def is_withdrawn(body: QuoteBody) -> bool:
    """Whether the broker or an underwriter took the option back."""
    return body.decision is not None and (
        body.decision.kind is DecisionKind.WITHDRAWN or _withdrawn_by_underwriter(body)
    )


def _withdrawn_by_underwriter(body: QuoteBody) -> bool:
    """Whether it was revoked for a reason in somebody's words, and not by what happened elsewhere."""
    decision = body.decision
    return (
        decision is not None
        and decision.kind is DecisionKind.REVOKED
        and decision.reason not in REVOKED_BY_ITSELF
    )


def status_of(body: QuoteBody, today: date) -> StatusWord:
    is_conditional = body.binder is not None and body.binder.conditional
    begins = body.dates.effective
    return status_word(
        body.quote_status,
        canceled_ahead=canceled_ahead(body, today),
        is_lapsed=is_lapsed(body),
        is_withdrawn=is_withdrawn(body),
        binder_due=body.binder.fulfil_by if body.binder is not None and is_conditional else None,
        begins_ahead=begins if begins > today else None,
    )


_FIRST: Final = (
    DocumentType.POLICY,
    DocumentType.BINDER,
    DocumentType.CERTIFICATE,
    DocumentType.BILLING_STATEMENT,
    DocumentType.QUOTE_LETTER,
    DocumentType.COMPARISON,
    DocumentType.APPLICATION,
)
_PLACES: Final = {kind: place for place, kind in enumerate(dict.fromkeys((*_FIRST, *DocumentType)))}
"""The order of documents for people: what they reach for comes first."""


class ShownDocument(Struct, frozen=True):
    address: str
    name: str
    kind: DocumentType | None = None


class ShownOption(Struct, frozen=True, kw_only=True):
    number: int
    quote_id: str
    status: StatusWord
    sentence: str
    condition: str
    is_in_progress: bool
    may_bind: bool
    may_pause: bool
    may_resume: bool
    may_ask_for_renewal: bool
    may_upload: bool
    may_withdraw: bool
    may_change: bool
    may_ask_to_cancel: bool
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
    is_offer: bool

    @property
    def papers_in(self) -> int:
        """How many contingencies are closed, or have a file that waits for an underwriter."""
        return sum(owed.is_received or not owed.is_open for owed in self.contingencies)

    @property
    def choice(self) -> str:
        """Name it among all options of a company, whose numbers begin anew with each submission."""
        return choice_of(self.number, self.quote_id)


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
        status=status_of(body, times.today),
        sentence=_not_yet(record) or _sentence(body, times),
        condition=_condition(body, times),
        is_in_progress=quote.status in NOT_READY,
        may_bind=may_act and quote.status in BINDABLE and not record.is_early_offer,
        may_pause=QuoteAction.PAUSE_RENEWAL in actions,
        may_resume=QuoteAction.RESUME_RENEWAL in actions,
        may_ask_for_renewal=QuoteAction.REQUEST_RENEWAL in actions,
        may_upload=may_act and quote.status in CONTINGENT,
        may_withdraw=QuoteAction.WITHDRAW in actions,
        may_change=may_act
        and is_changeable(quote.status, record.term, times.today, is_issued=record.is_issued),
        may_ask_to_cancel=QuoteAction.REQUEST_CANCELLATION in actions,
        closes_at_the_bind=quote.status in BINDABLE and not is_reviewed(body),
        contingencies=tuple(shown_contingency(owed, body, times) for owed in body.contingencies),
        uploads=tuple(
            shown_upload(body, upload, times) for upload in body.uploads if upload.contingency is None
        ),
        documents=tuple(
            ShownDocument(f"/quote/{quote.quote_id}/document/{kind}", ABOUT[kind].name, kind)
            for kind in sorted(map(DocumentType, body.available_documents), key=_PLACES.__getitem__)
        ),
        documents_to_come=_to_come(record),
        policy_number=body.policy_number or "",
        bound_as="Binder" if body.binder is not None and body.binder.conditional else "Policy",
        term=term_shown(body),
        cancellation=cancellation_asked_for(body, times),
        renews=_renews(outlook_of(body, renewed_by), times),
        renewal=f"/quote/{body.renewal.renewed_by}" if body.renewal and body.renewal.renewed_by else "",
        is_offer=is_offer(quote),
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


def choice_of(number: int, quote_id: str) -> str:
    return f"{number}-{quote_id[-6:]}"


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


def is_reviewed(body: QuoteBody) -> bool:
    """Whether something is owed before the bind, so that an underwriter decides on it."""
    return any(owed.type is ContingencyType.PRE_BIND and owed.status == "open" for owed in body.contingencies)


def _sentence(body: QuoteBody, times: Times) -> str:
    word = STATUS_WORDS[body.quote_status]
    if body.quote_status in BINDABLE and is_reviewed(body):
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
        if _withdrawn_by_underwriter(body):
            return f"An underwriter withdrew it: {body.decision.reason}"
        return WITHDRAWN.meaning if is_withdrawn(body) else REVOKED_BY_ITSELF[body.decision.reason]
    return f"{meaning} {body.decision.reason}"


def _condition(body: QuoteBody, times: Times) -> str:
    binder = body.binder
    if binder is None or not binder.conditional or body.quote_status is not QuoteStatus.POLICY_ACTIVE:
        return ""
    if binder.late:
        return (
            f"Everything for the binder came in on {day(binder.received_on)}, in time, and an underwriter "
            "has yet to look at it. It holds until then."
        )
    if came_in_time(binder.received_on, binder.fulfil_by):
        return (
            f"Everything for the binder came in on {day(binder.received_on)}. An underwriter looks at it by "
            f"{day(binder.fulfil_by)}."
        )
    return (
        f"Binder, due {day(binder.fulfil_by)}{_left(binder.fulfil_by, times)}: it lapses unless the open "
        "items are closed by then."
    )


def _left(until: date | None, times: Times) -> str:
    if until is None or until < times.today:
        return ""
    left = (until - times.today).days
    return " (today is the last day)" if left == 0 else f" ({counted(left, 'day')} left)"
