"""What each step of the journal is called in the history, in a sentence."""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, Final

from bindery.contract.policy_ending import CanceledBy, CancellationReason, NonrenewalReason
from bindery.domain.policy.cancellation import REASON_WORDS
from bindery.domain.policy.nonrenewal import nonrenewal_in_words
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import CREATE
from bindery.web.shown.words import day, listed, money

T = Trigger
_Data = Mapping[str, Any]


def _said(sentence: str) -> Callable[[_Data], str]:
    return lambda _data: sentence


def _because(sentence: str) -> Callable[[_Data], str]:
    return lambda data: f"{sentence}: {data['reason']}" if data.get("reason") else sentence


def _contingency(data: _Data) -> str:
    if added := data.get("added"):
        return f"became subject to: {added['text']}"
    if "closed" not in data:
        until = data.get("fulfil_by")
        more_time = f", with time until {day(date.fromisoformat(until))}" if until else ""
        why = f": {data['reopened_because']}" if data.get("reopened_because") else ""
        return f"had a contingency reopened{more_time}{why}"
    how = data.get("closed_as")
    done = "waived" if how == "waived" else f"closed as {how}" if how else "closed"
    why = f": {data['closed_reason']}" if data.get("closed_reason") else ""
    return f"had a contingency {done}{why}"


def _canceled(data: _Data) -> str:
    returned, due = data.get("returned_premium"), data.get("cancellation", {}).get("due")
    on = f" from {day(date.fromisoformat(data['effective']))} on" if data.get("effective") else ""
    by = " by the insurer" if data.get("cancellation", {}).get("canceled_by") == CanceledBy.INSURER else ""
    back = f", {money(returned)} returned" if returned else f", {money(due)} due" if due else ""
    return _because(f"canceled{by}{on}{back}")(data)


def _policy_changed(data: _Data) -> str:
    on = day(date.fromisoformat(data["effective"]))
    difference = data.get("premium_difference", 0)
    back = f", {money(-difference)} returned" if difference < 0 else f", {money(difference)} more"
    return _because(f"changed from {on} on{back if difference else ''}")(data)


def _not_renewed(data: _Data) -> str:
    reason, text = data.get("reason", ""), data.get("text", "")
    words = nonrenewal_in_words(NonrenewalReason(reason), text) if reason in set(NonrenewalReason) else text
    said = "not renewed by the insurer; the notice was mailed"
    return f"{said}: {words}" if words else said


def _asked_to_cancel(data: _Data) -> str:
    on = f" from {day(date.fromisoformat(data['effective']))} on" if data.get("effective") else ""
    reason = data.get("reason", "")
    words = REASON_WORDS[CancellationReason(reason)] if reason in set(CancellationReason) else reason
    because = ": ".join(part for part in (words, data.get("text")) if part)
    said = f"sent to an underwriter for cancellation{on}"
    return f"{said}: {because}" if because else said


_CHANGED_TERMS: Final = {
    "premium": "premium",
    "aggregate_retention": "retention",
    "per_claim_retention": "per-claim retention",
}


def _amended(data: _Data) -> str:
    changes = [
        f"{_CHANGED_TERMS[change['path']]} {money(change['before'])} to {money(change['after'])}"
        for change in data.get("changes", ())
    ]
    return _because(f"amended by the underwriter, {listed(changes)}" if changes else "amended")(data)


_DECISIONS: Final = {
    "ApproveReferral": "the approval",
    "AmendOption": "the amendment",
    "OfferOption": "another option beside it",
    "ApproveBind": "the bind",
    "RevokeQuote": "the withdrawal",
    "CancelPolicy": "the cancellation",
    "ReinstatePolicy": "the reinstatement",
}


def _asked_colleague(data: _Data) -> str:
    what = _DECISIONS.get(data.get("decision", ""), "the decision")
    at = f" at {money(data['premium'])}" if data.get("premium") else ""
    beyond = f": {'; '.join(data['beyond'])}" if data.get("beyond") else ""
    return f"sent to {data.get('to') or 'a colleague'} for {what}{at}, beyond the sender's authority{beyond}"


_ANSWERS: Final = {
    "approved": "approved as the second person for {0}",
    "declined": "not approved as {0} asked for it",
    "sent_back": "sent back to {0}",
    "taken_back": "taken back by {0}",
}


def _answered_colleague(data: _Data) -> str:
    said = _ANSWERS.get(data.get("answer", ""), "answered as {0} asked")
    return _because(said.format(data.get("asked_by") or "a colleague"))(data)


def _with_breaches(sentence: Callable[[_Data], str]) -> Callable[[_Data], str]:
    def said(data: _Data) -> str:
        beyond = "; ".join(data.get("breaches", ()))
        return f"{sentence(data).rstrip('.')}. Beyond the guidelines: {beyond}" if beyond else sentence(data)

    return said


def _withdrawn(data: _Data) -> str:
    return f"withdrawn: {data['text']}" if data.get("text") else "withdrawn"


def _alert(data: _Data) -> str:
    found = [f"{finding['title']} ({finding['host']})" for finding in data.get("findings", ())]
    return f"had a security alert: {'; '.join(found)}"


def _handed_over(data: _Data) -> str:
    second, before = data.get("secondary_broker"), data.get("secondary_broker_before")
    to = f"handed over from {data['broker_before']} to {data['broker']}"
    if second == before:
        return to
    of_second = (
        f"given {second} as the secondary broker" if second else f"left by {before}, the secondary broker"
    )
    return of_second if data["broker"] == data["broker_before"] else f"{to} and {of_second}"


def _certificates(data: _Data) -> str:
    to, count = list(data["to"]), data["count"]
    if count == 1:
        return f"A certificate was issued to {to[0]}"
    others = [f"{count - len(to)} others" if count - len(to) > 1 else "one other"] * (count > len(to))
    return f"{count} certificates were issued to {listed([*to, *others])}"


_SENT_FOR: Final = {"proposal": "as a proposal", "answers": "with questions"}


def _sent_to_client(data: _Data) -> str:
    what = _SENT_FOR.get(data.get("purpose", ""), "to be signed")
    return f"sent to {data['email']} {what}" if data.get("email") else "sent to the client"


def _signed(data: _Data) -> str:
    who = ", ".join(part for part in (data.get("name"), data.get("title")) if part)
    return f"signed electronically by {who or 'the client'}"


def _sent_back(data: _Data) -> str:
    return f"sent back by the client: {data['text']}" if data.get("text") else "sent back by the client"


def _asked(data: _Data) -> str:
    said = "sent to the broker with a question"
    return f"{said}: {data['text']}" if data.get("text") else said


def _question_closed(data: _Data) -> str:
    if data.get("closed_as") == "withdrawn":
        return "had the question to the broker withdrawn"
    said = "had the broker's answer, with a file" if data.get("document_id") else "had the broker's answer"
    return f"{said}: {data['answer']}" if data.get("answer") else said


def _bind_sent_back(data: _Data) -> str:
    why = f": {data['sent_back']}" if data.get("sent_back") else ""
    return f"opened again: the requested bind was sent back{why}"


SENTENCES: Final[Mapping[str, Callable[[_Data], str]]] = {
    CREATE: _said("submitted"),
    T.SCAN: _said("scanned"),
    T.PRICE: _said("sent to pricing"),
    T.COMPLETE_PRICING: _said("priced"),
    T.PASS_SCREENING: _said("screened, with nothing for an underwriter to see"),
    T.EXCEED_AUTHORITY: _said("found to be beyond what may be quoted automatically"),
    T.MISS_DOMAIN: _said("found to have no website to scan"),
    T.FAIL_SCAN: _said("not scanned: the scan failed"),
    T.COLLECT_NOTHING: _said("scanned, with nothing found to go by"),
    T.FAIL_PRICING: _said("not priced: pricing failed"),
    T.FIND_RED_FLAGS: _said("found to have severe weaknesses"),
    T.FIND_BROKER_CONFLICT: _said("found on file with another broker"),
    T.FAIL_SCREENING: _said("screened, with something for an underwriter to see"),
    T.REFER: _said("referred to an underwriter"),
    T.APPROVE_REFERRAL: _with_breaches(_because("approved by the underwriter")),
    T.AMEND: _with_breaches(_amended),
    T.PUBLISH_AMENDED: _said("published on the amended terms"),
    T.ASK_COLLEAGUE: _asked_colleague,
    T.ANSWER_COLLEAGUE: _answered_colleague,
    T.OFFER_OPTION: _because("offered by the underwriter"),
    T.PUBLISH: _said("published"),
    T.MAKE_DOCUMENTS: _said("given its documents"),
    T.OFFER_RENEWAL: _said("offered as a renewal"),
    T.DECLINE: _because("declined"),
    T.REVOKE: _because("revoked"),
    T.WITHDRAW: _withdrawn,
    T.REQUEST_CANCELLATION: _asked_to_cancel,
    T.DECLINE_CANCELLATION: _because("left in force; the cancellation was declined"),
    T.REFER_CHANGE: _because("sent to an underwriter to be changed"),
    T.CHANGE_POLICY: _policy_changed,
    T.DECLINE_CHANGE: _because("left as it is; the change was declined"),
    T.WITHDRAW_CHANGE: _said("left as it is; the change was withdrawn"),
    T.CHANGE_CONTINGENCIES: _contingency,
    T.RAISE_SECURITY_ALERT: _alert,
    T.HAND_OVER: _handed_over,
    T.ISSUE_CERTIFICATES: _certificates,
    T.SEND_TO_CLIENT: _sent_to_client,
    T.TAKE_LINK_BACK: _said("taken back from the client"),
    T.OPEN_LINK: _said("opened by the client"),
    T.CHOOSE_OPTION: _said("chosen by the client"),
    T.ANSWER_QUESTIONS: _said("given the client's answers"),
    T.SIGN_APPLICATION: _signed,
    T.DECLINE_TO_SIGN: _sent_back,
    T.ASK_BROKER: _asked,
    T.CLOSE_QUESTION: _question_closed,
    T.PAUSE_RENEWAL: _said("set not to renew by itself"),
    T.RESUME_RENEWAL: _said("set to renew by itself again"),
    T.REQUEST_RENEWAL: _said("asked to be renewed"),
    T.HOLD_RENEWAL: _because("held: an underwriter looks at its renewal first"),
    T.RELEASE_RENEWAL: _because("released: its renewal is offered by itself again"),
    T.TAKE_OFFER_BACK: _said("taken back to an underwriter, who looks at the renewal first"),
    T.NOT_RENEW: _not_renewed,
    T.RENEW_AFTER_ALL: _because("set to be renewed after all; the notice of nonrenewal was taken back"),
    T.EXPIRE: _said("expired"),
    T.GO_STALE: _said("left undecided for 60 days"),
    T.REQUEST_BIND: _said("sent to an underwriter to be bound"),
    T.PASS_OVER: _said("set aside: another option was chosen"),
    T.REOPEN: _said("opened again"),
    T.RETURN_TO_DESK: _said("returned to the underwriter"),
    T.SEND_BACK: _bind_sent_back,
    T.SEND_BACK_OFFER: _bind_sent_back,
    T.BIND: _because("bound"),
    T.ISSUE: _said("issued as a policy"),
    T.LAPSE: _said("lapsed: what was open was not closed in time"),
    T.CANCEL: _canceled,
    T.REINSTATE: _because("reinstated"),
    T.END_TERM: _said("ended with its term"),
}
"""How each step of a quote is told, after «Option 1 was»."""
