"""What only the demo environment has: a clock to move, an underwriter and an applicant to play."""

from typing import TypeVar, assert_never

from starlette.responses import Response

from bindery.actions.desk.ask_colleague import answer_colleague, ask_colleague
from bindery.actions.desk.take_decisions import DecidedQuote, take_decision
from bindery.actions.documents.make_document import find_or_make_document
from bindery.actions.documents.read_document import read_document
from bindery.actions.timetable.move_clock import move_clock
from bindery.api.call import Call, json_response
from bindery.api.errors import TooManyDocuments
from bindery.api.routes.documents import PDF
from bindery.api.wait_for_quote import wait_for_quote
from bindery.base.errors import InvalidRequest, NotFound, WrongState
from bindery.base.fair_queue import QueueFull
from bindery.contract.demo import (
    ClockShown,
    ClosedByHand,
    MoveClock,
    ReviewDecision,
    ReviewRequest,
    ReviewTerms,
    SecondAnswer,
)
from bindery.contract.documents import DocumentType
from bindery.contract.policy_ending import CancellationReason, NonrenewalReason
from bindery.contract.vocabulary import ClosedAs, QuoteStatus
from bindery.documents.fields import filled_in
from bindery.domain.access.users import User
from bindery.domain.business_rules import long_date
from bindery.domain.documents.access import check_available
from bindery.domain.policy.binding import needed_before
from bindery.domain.policy.cancellation import canceled_by
from bindery.domain.policy.contingencies import (
    FULFILLED,
    Closing,
    ContingencyKind,
    DraftContingency,
    check_closing,
)
from bindery.domain.quote.decisions import (
    AddContingency,
    AmendOption,
    ApproveBind,
    ApproveChange,
    ApproveReferral,
    AskBroker,
    CancelPolicy,
    CloseContingency,
    Decision,
    DeclineCancellation,
    DeclineChange,
    DeclineQuote,
    GoOnUnanswered,
    HoldRenewal,
    NotRenew,
    ReinstatePolicy,
    RenewAfterAll,
    RevokeQuote,
    SendBack,
)
from bindery.domain.quote.repricing import ChangedTerms
from bindery.http.bodies import BodyDecoder
from bindery.http.show_quote import show_quote
from bindery.storage.access import users
from bindery.storage.desk import asked_approvals
from bindery.storage.desk.asked_approvals import ColleagueAnswer
from bindery.storage.desk.authority import list_underwriters
from bindery.storage.quote.quote_view import QuoteRecord

T = TypeVar("T")

ACTOR = "demo underwriter"
SIGNER, TITLE = "Ann Example", "President"
_clock = BodyDecoder(MoveClock)
_review = BodyDecoder(ReviewRequest)


async def show_clock(call: Call) -> Response:
    return json_response(ClockShown(now=await call.runtime.database.now()))


async def advance_clock(call: Call) -> Response:
    asked = call.decoded(_clock, await call.read_json()).value
    return json_response(ClockShown(now=await move_clock(call.runtime, asked.advance_days)))


async def review(call: Call) -> Response:
    asked = call.decoded(_review, await call.read_json()).value
    identifier = call.identifier("identifier")
    seen = await wait_for_quote(call.runtime, identifier, partner_id=call.partner.partner_id)
    if seen is None:
        raise NotFound("There is no such quote.")
    runtime, quote_id = call.runtime, seen.quote.quote_id
    if asked.decision is ReviewDecision.SECOND_APPROVAL:
        await _answer_as_second(call, seen, asked)
    elif asked.send_to is not None:
        user = await _underwriter(call, asked.underwriter, path="underwriter")
        to = await _underwriter(call, asked.send_to, path="send_to")
        sent = DecidedQuote(quote_id, _decision(seen, asked))
        await ask_colleague(runtime.database, runtime.rules, [sent], user=user, to=to.user_id)
    else:
        who = asked.underwriter
        actor = (await _underwriter(call, who, path="underwriter")).email if who else ACTOR
        decision = _decision(seen, asked)
        await take_decision(runtime.database, runtime.rules, quote_id, decision, actor=actor)
    after = await wait_for_quote(call.runtime, identifier, partner_id=call.partner.partner_id)
    assert after is not None, "a quote is never deleted"
    return json_response(show_quote(after))


async def signed_application(call: Call) -> Response:
    identifier = call.identifier("identifier")
    seen = await wait_for_quote(call.runtime, identifier, partner_id=call.partner.partner_id)
    if seen is None:
        raise NotFound("There is no such quote.")
    kind = DocumentType.APPLICATION
    check_available(kind, seen.document_state_today)
    try:
        issued = await find_or_make_document(call.runtime, seen.quote, kind)
    except QueueFull:
        raise TooManyDocuments from None
    contact = seen.client.get("insured_main_contact") or {}
    name = " ".join(str(contact[part]) for part in ("first_name", "last_name") if contact.get(part))
    today = await call.runtime.database.today()
    values = {"signature": name or SIGNER, "name": name or SIGNER, "title": TITLE, "date": long_date(today)}
    return Response(filled_in(await read_document(call.runtime, issued), values), media_type=PDF)


def _decision(seen: QuoteRecord, asked: ReviewRequest) -> Decision:  # noqa: C901, PLR0911, PLR0912 - a line each
    quote, reason = seen.quote, asked.reason or ""
    match asked.decision:
        case ReviewDecision.APPROVE if quote.status is QuoteStatus.QUOTE_BIND_REQUESTED:
            return ApproveBind(reason, _closings(seen, asked))
        case ReviewDecision.APPROVE if quote.status is not QuoteStatus.QUOTE_REFERRED:
            raise WrongState(
                f"A quote that is {quote.status} cannot be approved: neither its referral nor its bind is "
                "waiting for a decision.",
                status=quote.status,
                available_statuses=[QuoteStatus.QUOTE_REFERRED, QuoteStatus.QUOTE_BIND_REQUESTED],
            )
        case ReviewDecision.APPROVE:
            terms = asked.terms or ReviewTerms()
            changed = ChangedTerms(aggregate_retention=terms.aggregate_retention, premium=terms.premium)
            return ApproveReferral(changed, reason=reason, is_sure=_is_sure(asked))
        case ReviewDecision.AMEND:
            terms = asked.terms or ReviewTerms()
            changed = ChangedTerms(aggregate_retention=terms.aggregate_retention, premium=terms.premium)
            return AmendOption(reason, changed, is_sure=_is_sure(asked))
        case ReviewDecision.DECLINE if quote.status is QuoteStatus.POLICY_ACTIVE:
            return DeclineCancellation(reason)
        case ReviewDecision.DECLINE:
            return DeclineQuote(reason)
        case ReviewDecision.REVOKE | ReviewDecision.WITHDRAW:
            return RevokeQuote(reason)
        case ReviewDecision.ASK:
            return AskBroker(reason)
        case ReviewDecision.GO_ON:
            return GoOnUnanswered()
        case ReviewDecision.SEND_BACK:
            return SendBack(reason)
        case ReviewDecision.ADD_CONTINGENCY:
            added = _required(asked.contingency, "contingency")
            return AddContingency(DraftContingency(ContingencyKind.UNDERWRITER, added.type, added.text))
        case ReviewDecision.CLOSE_CONTINGENCY:
            closing = Closing(ClosedAs(asked.closed_as or ClosedByHand.FULFILLED), reason)
            return CloseContingency(_required(asked.contingency_id, "contingency_id"), closing)
        case ReviewDecision.CANCEL:
            return _cancellation(asked)
        case ReviewDecision.APPROVE_CHANGE:
            return ApproveChange(reason)
        case ReviewDecision.DECLINE_CHANGE:
            return DeclineChange(reason)
        case ReviewDecision.REINSTATE:
            return ReinstatePolicy(reason, no_known_loss=asked.no_known_loss is not False)
        case ReviewDecision.HOLD_RENEWAL:
            return HoldRenewal(reason)
        case ReviewDecision.NOT_RENEW:
            return _nonrenewal(asked)
        case ReviewDecision.RENEW_AFTER_ALL:
            return RenewAfterAll(reason)
        case ReviewDecision.SECOND_APPROVAL:
            raise AssertionError("this answers a decision that was sent, but nothing was decided")
        case _:
            assert_never(asked.decision)


def _is_sure(asked: ReviewRequest) -> bool | None:
    """Whether a named underwriter said yes twice; the guidelines do not bound a simulated one."""
    return bool(asked.sure) if asked.underwriter else None


async def _underwriter(call: Call, email: str | None, *, path: str) -> User:
    if not email:
        raise InvalidRequest.at(path, "required", "is required for this decision")
    async with call.runtime.database.reading() as tx:
        found = await users.find_by_email(tx, email) if await list_underwriters(tx, email=email) else None
    if found is None:
        raise InvalidRequest.at(path, "unknown_user", "is no underwriter of the platform")
    return found[0]


async def _answer_as_second(call: Call, seen: QuoteRecord, asked: ReviewRequest) -> None:
    user = await _underwriter(call, asked.underwriter, path="underwriter")
    async with call.runtime.database.reading() as tx:
        waiting = await asked_approvals.waiting_of(tx, seen.quote.submission_id)
    if waiting is None:
        said = "Nothing of this submission waits for a second approval."
        raise WrongState(said, status=seen.quote.status, available_statuses=[])
    answer = ColleagueAnswer(asked.answer or SecondAnswer.APPROVED)
    database, rules = call.runtime.database, call.runtime.rules
    approval_id, reason = waiting.approval_id, asked.reason or ""
    await answer_colleague(database, rules, approval_id, answer, user=user, reason=reason)


def _closings(seen: QuoteRecord, asked: ReviewRequest) -> dict[str, Closing]:
    """Return how what was needed before a bind is closed; what is not mentioned was fulfilled."""
    closings = {owed.contingency_id: FULFILLED for owed in needed_before(seen.contingencies)}
    for place, said in enumerate(asked.contingencies or ()):
        if said.contingency_id not in closings:
            flaw = "is not a contingency that is open and needed before the bind"
            raise InvalidRequest.at(f"contingencies[{place}].contingency_id", "unknown_contingency", flaw)
        closing = Closing(ClosedAs(said.closed_as), said.reason or "")
        check_closing(closing, path=f"contingencies[{place}].reason")
        closings[said.contingency_id] = closing
    return closings


def _cancellation(asked: ReviewRequest) -> CancelPolicy:
    """Read a cancellation; a sentence for its reason is the text of the insured's own request."""
    given, text = asked.reason or CancellationReason.INSURED_REQUEST, asked.text or ""
    if not text and any(not (letter.islower() or letter == "_") for letter in given):
        given, text = CancellationReason.INSURED_REQUEST, given
    if given not in set(CancellationReason):
        raise InvalidRequest.at("reason", "not_allowed", f"must be one of {', '.join(CancellationReason)}")
    reason = CancellationReason(given)
    return CancelPolicy(asked.effective, asked.canceled_by or canceled_by(reason), reason, text)


def _nonrenewal(asked: ReviewRequest) -> NotRenew:
    """Read a nonrenewal; any other words for its reason are its text."""
    given, text = asked.reason or "", asked.text or ""
    if given in set(NonrenewalReason):
        return NotRenew(NonrenewalReason(given), text)
    return NotRenew(NonrenewalReason.OTHER, text or given)


def _required(value: T | None, name: str) -> T:
    if value is None:
        raise InvalidRequest.at(name, "required", "is required for this decision")
    return value
