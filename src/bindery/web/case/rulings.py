"""What an underwriter decides on the renewal of one policy: to look at it first, or not to make it."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Final

import msgspec
from starlette.responses import Response

from bindery.actions.desk.take_decisions import DecidedQuote, take_decisions
from bindery.actions.renewal.request_renewal import request_renewal
from bindery.base.errors import BinderyError, ChangedMeanwhile, InvalidRequest, NotFound, Problem, WrongState
from bindery.contract.fields import LONGEST_BY_HAND
from bindery.contract.policy_ending import NonrenewalReason, RenewalState
from bindery.domain.access.caller import Caller
from bindery.domain.messages.mails import Addressees, addressees_of, notice_recipients
from bindery.domain.policy.nonrenewal import (
    NONRENEWAL_WORDS,
    KeptRuling,
    NoticeWindow,
    check_holdable,
    check_not_renewed,
    check_renewable_after_all,
    notice_window,
)
from bindery.domain.policy.policy import Policy, RenewalRuling
from bindery.domain.policy.renewal import check_renewal_asked_for
from bindery.domain.quote.decisions import (
    Decision,
    HoldRenewal,
    NotRenew,
    ReleaseRenewal,
    RenewAfterAll,
)
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import JournalEntry, last_step
from bindery.domain.submission.value import client_of
from bindery.storage.documents import mails
from bindery.storage.documents.mails import ProofOfMail
from bindery.storage.lists import renewal_book
from bindery.storage.policy import policies
from bindery.storage.quote import journal, quotes
from bindery.storage.submission import submissions
from bindery.web.case.case_forms import check_words, sentences
from bindery.web.desk.book_shown import ShownBookRow, shown_policy
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit, read_number
from bindery.web.shown.history import HistoryLine, history_of
from bindery.web.shown.mails import with_mails
from bindery.web.shown.words import Moment, Times, day, listed

MOST_MAILS: Final = 20
PRESSED_TWICE: Final = timedelta(seconds=10)
TRIGGERS: Final[Mapping[str, Trigger]] = {
    "hold": Trigger.HOLD_RENEWAL,
    "release": Trigger.RELEASE_RENEWAL,
    "not_renew": Trigger.NOT_RENEW,
    "renew_after_all": Trigger.RENEW_AFTER_ALL,
}
REASONS: Final = tuple((reason.value, words) for reason, words in NONRENEWAL_WORDS.items())
RULINGS: Final = frozenset({"hold", "release", "other_terms", "not_renew", "renew_after_all"})
DONE: Final[Mapping[str, str]] = {
    "hold": "the renewal is held. It comes to the desk before it is offered.",
    "release": "the renewal is offered and bound by itself again.",
    "not_renew": "the policy is not renewed. The notice is on its way to the broker and the insured.",
    "renew_after_all": "the policy is renewed after all. The broker and the insured are told.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    at: Moment
    found: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRuling:
    """What can be decided, or why it cannot; `notice` says when and to whom a notice would go."""

    may_hold: str
    may_not_renew: str
    notice: tuple[str, ...]
    is_held: bool
    may_release: bool
    is_not_renewed: bool
    may_renew: str
    decided: str
    case: str
    offer_is_open: bool


async def show_policy(visit: Visit) -> Response:
    return await _page(visit)


async def send_ruling(visit: Visit) -> Response:
    """Carry a decision out; whoever comes second is told what was decided first, and keeps what was typed."""
    form, quote_id = await visit.form(), visit.path_id("quote_id")
    runtime, ruling = visit.runtime, form.get("ruling", "")
    try:
        if ruling not in RULINGS:
            flaw = Problem(
                "ruling", "unknown_decision", "must be to hold it, not to renew it, or to undo that"
            )
            raise InvalidRequest.because([flaw])
        # A page that does not say what it showed has shown nothing that could be decided on.
        seen_step = read_number(form.get("version", "")) or 0
        if ruling == "other_terms":
            return await _to_its_case(visit, seen_step)
        decided = DecidedQuote(quote_id, _decision(ruling, form), seen_step)
        await take_decisions(runtime.database, runtime.rules, [decided], actor=visit.actor)
    except (InvalidRequest, WrongState, ChangedMeanwhile) as fault:
        if not await _was_done(visit, ruling):
            return await _page(visit, form, fault=fault)
    name = await _name(visit)
    return await visit.done(f"/desk/renewals/{quote_id}", f"{name}: {DONE[ruling]}")


async def _was_done(visit: Visit, ruling: str) -> bool:
    """Whether the same user decided the same a moment ago: a button was pressed twice."""
    async with visit.runtime.database.reading() as tx:
        entries = await journal.of_quote(tx, visit.path_id("quote_id"))
    return any(
        (entry.actor, entry.trigger) == (visit.actor, TRIGGERS.get(ruling))
        and entry.at >= tx.now - PRESSED_TWICE
        for entry in entries[-1:]
    )


def _decision(ruling: str, form: Mapping[str, str]) -> Decision:
    reason, text = form.get("reason", "").strip(), form.get("text", "").strip()
    check_words(reason=reason, text=text)
    match ruling:
        case "hold":
            return HoldRenewal(_required(reason))
        case "release":
            return ReleaseRenewal(reason)
        case "renew_after_all":
            return RenewAfterAll(_required(reason))
        case _:
            if form.get("because") not in set(NonrenewalReason):
                flaw = "must be one of the list: the notice says why the policy is not renewed"
                raise InvalidRequest.because([Problem("because", "required", flaw)])
            return NotRenew(NonrenewalReason(form["because"]), text)


def _required(reason: str) -> str:
    if not reason:
        raise InvalidRequest.because([Problem("reason", "required", "is required: it goes on record")])
    return reason


async def _to_its_case(visit: Visit, seen_step: int) -> Response:
    """Put the renewal on hold and make it now, so that its terms can be set by hand on its case."""
    quote_id, runtime = visit.path_id("quote_id"), visit.runtime
    async with runtime.database.reading() as tx:
        policy = await policies.find(tx, quote_id)
        if policy is None:
            raise NotFound("There is no such policy.")
        quote = await quotes.get(tx, quote_id)
    if policy.renewal_submission_id is None:
        # Before it is held: what cannot be made is not held for it either.
        check_renewal_asked_for(quote, policy, cover=None, today=tx.today)
        if policy.renewal_ruling is not RenewalRuling.HELD:
            hold = DecidedQuote(quote_id, HoldRenewal("Other terms are to be offered."), seen_step)
            await take_decisions(runtime.database, runtime.rules, [hold], actor=visit.actor)
        # Killed before this, the renewal is held, and comes to the desk when it is due.
        caller = Caller(partner_id=quote.partner_id, actor=visit.actor)
        await request_renewal(runtime.database, caller, quote_id)
    async with runtime.database.reading() as tx:
        policy = await policies.get(tx, quote_id)
    return await visit.done(f"/desk/case/{policy.renewal_submission_id}")


async def _name(visit: Visit) -> str:
    async with visit.runtime.database.reading() as tx:
        quote = await quotes.get(tx, visit.path_id("quote_id"))
        return (await submissions.get(tx, quote.submission_id)).submission.name


async def _page(
    visit: Visit, form: Mapping[str, str] | None = None, *, fault: BinderyError | None = None
) -> Response:
    quote_id = visit.path_id("quote_id")
    async with visit.runtime.database.reading() as tx:
        row = await renewal_book.find_row(tx, quote_id)
        if row is None:
            raise NotFound("There is no such policy.")
        policy = await policies.get(tx, quote_id)
        quote = await quotes.get(tx, quote_id)
        stored = await submissions.get(tx, quote.submission_id)
        contacts = await policies.contacts_of(tx, quote_id)
        since = (await renewal_book.since_bound(tx, [quote_id]))[quote_id]
        alarms = await renewal_book.alarms_since(tx, quote_id)
        entries = await journal.of_quote(tx, quote_id)
        proofs = await mails.proofs_of(tx, [quote_id], limit=MOST_MAILS)
        kept = await policies.ruling_of(tx, quote_id)
    times = visit.times(tx.now)
    to = addressees_of(client_of(stored.body), msgspec.json.decode(contacts) if contacts else None)
    status, state = row.renewed_by_status, stored.submission.state
    window = notice_window(state, policy.term.expiration)
    ruling = ShownRuling(
        may_hold=_why_not(lambda: check_holdable(quote, policy, status, today=tx.today)),
        may_not_renew=_why_not(
            lambda: check_not_renewed(
                quote, policy, status, NotRenew(NonrenewalReason.APPETITE), state=state, today=tx.today
            )
        ),
        notice=_notice(window, to, policy),
        is_held=policy.renewal_ruling is RenewalRuling.HELD,
        may_release=policy.renewal_ruling is RenewalRuling.HELD and status is None,
        is_not_renewed=policy.renewal_ruling is RenewalRuling.NOT_RENEWED,
        may_renew=_why_not(lambda: check_renewable_after_all(quote, policy, today=tx.today)),
        decided=_decided(kept, policy),
        case=f"/desk/case/{row.renewal_submission_id}" if row.renewal_submission_id else "",
        offer_is_open=row.offered is not None,
    )
    shown = shown_policy(row, since, tx.today)
    return page(
        visit,
        "case/ruling.html",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if fault else HTTPStatus.OK,
        shown=shown,
        facts=_facts(shown),
        ruling=ruling,
        policy=policy,
        alerts=tuple(
            Alert(at=times.at(at), found="; ".join(f"{each.title} ({each.severity})" for each in found))
            for at, found in alarms
        ),
        history=_history(entries, proofs, times, quote_id),
        version=last_step(entries, quote_id),
        reasons=REASONS,
        longest=LONGEST_BY_HAND,
        form=form or {},
        problems=sentences(fault) if fault and not isinstance(fault, ChangedMeanwhile) else (),
        meanwhile=_newest(entries, times) if isinstance(fault, ChangedMeanwhile) else None,
    )


def _why_not(check: Callable[[], object]) -> str:
    """Return why something cannot be decided; empty where it can."""
    try:
        check()
    except BinderyError as fault:
        return " ".join(sentences(fault))
    return ""


def _decided(kept: KeptRuling | None, policy: Policy) -> str:
    if kept is None:
        return ""
    what = "Not renewed" if policy.renewal_ruling is RenewalRuling.NOT_RENEWED else "Held"
    return f"{what} by {kept.by} on {day(kept.on)}: {kept.words}"


def _facts(shown: ShownBookRow) -> tuple[tuple[str, str], ...]:
    is_over = shown.row.state is RenewalState.ENDS
    change = " ".join(part for part in (shown.change, f"({shown.percent})" if shown.percent else "") if part)
    return (
        ("Ends", day(shown.row.expiration)),
        ("Expiring premium", shown.premium),
        ("Offered premium", shown.offered or ("no offer" if is_over else "no offer yet")),
        *((("Change", change),) if change else ()),
        ("Scan at the bind and last", shown.scan),
        ("Security alerts since", shown.alerts),
        ("Losses", shown.losses),
    )


ABOUT_RENEWALS: Final = frozenset(
    {
        Trigger.PAUSE_RENEWAL,
        Trigger.RESUME_RENEWAL,
        Trigger.REQUEST_RENEWAL,
        Trigger.HOLD_RENEWAL,
        Trigger.RELEASE_RENEWAL,
        Trigger.NOT_RENEW,
        Trigger.RENEW_AFTER_ALL,
        Trigger.REQUEST_CANCELLATION,
        Trigger.DECLINE_CANCELLATION,
        Trigger.CANCEL,
        Trigger.END_TERM,
    }
)


def _history(
    entries: Sequence[JournalEntry], proofs: Sequence[ProofOfMail], times: Times, quote_id: uuid.UUID
) -> tuple[HistoryLine, ...]:
    """Return what happened to the renewal of a policy, and what was mailed about it to whom and when."""
    about = [entry for entry in entries if entry.trigger in ABOUT_RENEWALS]
    lines = history_of(about, {quote_id: 1}, times, named=None)
    return with_mails(lines, proofs, times, about={})


def _newest(entries: Sequence[JournalEntry], times: Times) -> HistoryLine:
    lines = history_of(entries[-1:], {entries[-1].quote_id: 1}, times, named=None)
    return lines[0]


def _notice(window: NoticeWindow, to: Addressees, policy: Policy) -> tuple[str, ...]:
    """Return what a notice of nonrenewal would be: to whom, until when, and when cover ends."""
    recipients = listed(list(dict.fromkeys(notice_recipients(to))))
    due = f"It has to be mailed by {day(window.last)}, {window.days} days before the end."
    return (
        f"The notice is mailed now, to {recipients}.",
        due,
        f"Coverage ends on {day(policy.term.expiration)}.",
    )
