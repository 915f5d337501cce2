"""The journal in words."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from operator import itemgetter
from typing import Any, Final

import msgspec

from bindery.contract.quote import CanceledBy, CancellationReason
from bindery.domain.policy.cancellation import REASON_WORDS
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import CREATE, JournalEntry
from bindery.storage.quote.quote_view import QuoteRecord, UploadedFile
from bindery.web.shown.words import Moment, Times, day, listed, money

T = Trigger
_Data = Mapping[str, Any]

IN_ONE_GO: Final = timedelta(minutes=1)
"""Options that take the same step within this time share a line: a sweep does one after the other."""


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """`tone` is `good` for a step that was hoped for, `wait` for one that leaves it to somebody."""

    at: Moment
    text: str
    about: str
    by: str
    raw: str
    tone: str = ""


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
        return f"had a contingency reopened{more_time}"
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


def _asked_to_cancel(data: _Data) -> str:
    on = f" from {day(date.fromisoformat(data['effective']))} on" if data.get("effective") else ""
    reason = data.get("reason", "")
    words = REASON_WORDS[CancellationReason(reason)] if reason in set(CancellationReason) else reason
    because = ": ".join(part for part in (words, data.get("text")) if part)
    said = f"sent to an underwriter for cancellation{on}"
    return f"{said}: {because}" if because else said


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


_SENT_FOR: Final = {"proposal": "as a proposal", "answers": "with questions"}


def _sent_to_client(data: _Data) -> str:
    what = _SENT_FOR.get(data.get("purpose", ""), "to be signed")
    return f"sent to {data['email']} {what}" if data.get("email") else "sent to the client"


def _signed(data: _Data) -> str:
    who = ", ".join(part for part in (data.get("name"), data.get("title")) if part)
    return f"signed electronically by {who or 'the client'}"


def _sent_back(data: _Data) -> str:
    return f"sent back by the client: {data['text']}" if data.get("text") else "sent back by the client"


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
    T.APPROVE_REFERRAL: _because("approved by the underwriter"),
    T.OFFER_OPTION: _because("offered by the underwriter"),
    T.PUBLISH: _said("published"),
    T.MAKE_DOCUMENTS: _said("given its documents"),
    T.OFFER_RENEWAL: _said("offered as a renewal"),
    T.DECLINE: _because("declined"),
    T.REVOKE: _because("revoked"),
    T.WITHDRAW: _withdrawn,
    T.REQUEST_CANCELLATION: _asked_to_cancel,
    T.DECLINE_CANCELLATION: _because("left in force; the cancellation was declined"),
    T.CHANGE_CONTINGENCIES: _contingency,
    T.RAISE_SECURITY_ALERT: _alert,
    T.HAND_OVER: _handed_over,
    T.SEND_TO_CLIENT: _sent_to_client,
    T.TAKE_LINK_BACK: _said("taken back from the client"),
    T.OPEN_LINK: _said("opened by the client"),
    T.CHOOSE_OPTION: _said("chosen by the client"),
    T.ANSWER_QUESTIONS: _said("given the client's answers"),
    T.SIGN_APPLICATION: _signed,
    T.DECLINE_TO_SIGN: _sent_back,
    T.PAUSE_RENEWAL: _said("set not to renew by itself"),
    T.RESUME_RENEWAL: _said("set to renew by itself again"),
    T.REQUEST_RENEWAL: _said("asked to be renewed"),
    T.EXPIRE: _said("expired"),
    T.GO_STALE: _said("left undecided for 60 days"),
    T.REQUEST_BIND: _said("sent to an underwriter to be bound"),
    T.PASS_OVER: _said("set aside: another option was chosen"),
    T.REOPEN: _said("opened again"),
    T.RETURN_TO_DESK: _said("returned to the underwriter"),
    T.BIND: _because("bound"),
    T.ISSUE: _said("issued as a policy"),
    T.LAPSE: _said("lapsed: what was open was not closed in time"),
    T.CANCEL: _canceled,
    T.REINSTATE: _because("reinstated"),
    T.END_TERM: _said("ended with its term"),
}
"""How each step of a quote is told, after «Option 1 was»."""

INSIDE: Final = frozenset(
    {
        T.SCAN, T.PRICE, T.COMPLETE_PRICING, T.PASS_SCREENING, T.EXCEED_AUTHORITY, T.MISS_DOMAIN, T.FAIL_SCAN,
        T.COLLECT_NOTHING, T.FAIL_PRICING, T.FIND_RED_FLAGS, T.FIND_BROKER_CONFLICT, T.FAIL_SCREENING,
        T.MAKE_DOCUMENTS,
    }
)  # fmt: skip
"""Steps of the machine that say little to people, and are left out of their history."""


TONES: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        (
            T.APPROVE_REFERRAL, T.OFFER_OPTION, T.PUBLISH, T.OFFER_RENEWAL, T.BIND, T.ISSUE, T.REINSTATE,
            T.REOPEN, T.DECLINE_CANCELLATION, T.SIGN_APPLICATION,
        ),
        "good",
    ),
    **dict.fromkeys(
        (
            T.REFER, T.REQUEST_BIND, T.RETURN_TO_DESK, T.REQUEST_CANCELLATION, T.RAISE_SECURITY_ALERT,
            T.DECLINE_TO_SIGN,
        ),
        "wait",
    ),
}  # fmt: skip


@dataclass(slots=True)
class _Together:
    about: str
    said: str
    entries: list[JournalEntry]

    def takes(self, entry: JournalEntry) -> bool:
        """Whether an older entry of the same step belongs here; an option takes a step once at a time."""
        is_near = self.entries[0].at - entry.at <= IN_ONE_GO
        return is_near and all(other.quote_id != entry.quote_id for other in self.entries)


def history_of(
    entries: Iterable[JournalEntry],
    options: Mapping[Any, int],
    times: Times,
    *,
    named: Mapping[str, str] | None,
    about: Mapping[Any, str] | None = None,
    seen: Iterable[QuoteRecord] = (),
) -> tuple[HistoryLine, ...]:
    """Return what happened, the newest first; options that took the same step in one go share a line.

    `options` are the numbers of the options by quote. `named` are the names of actors that may be shown; None
    shows all of them as the journal has them. `about` is the submission of each quote, if there are several.
    `seen` are quotes whose uploads are lines too.
    """
    read = list(entries)
    # Nobody submitted what an underwriter offers.
    offered = {entry.quote_id for entry in read if entry.trigger == T.OFFER_OPTION}
    kept = [
        entry
        for entry in read
        if entry.trigger not in INSIDE and not (entry.trigger == CREATE and entry.quote_id in offered)
    ]
    kept.sort(key=lambda entry: (entry.at, entry.entry, entry.trigger), reverse=True)
    lines = [
        (group.entries[0].at, _line(group, options, times, named)) for group in _grouped(kept, about or {})
    ]
    for record in seen:
        of_submission = (about or {}).get(record.quote.quote_id, "")
        lines += [
            (
                file.received,
                _upload(record, file, options[record.quote.quote_id], times, of_submission, named),
            )
            for file in record.files
            # What was signed on the page is a step of its own.
            if not file.judged.signed_electronically
        ]
    # Stable: steps of one moment stay in their order.
    lines.sort(key=itemgetter(0), reverse=True)
    return tuple(line for _, line in lines)


def _upload(
    record: QuoteRecord,
    file: UploadedFile,
    number: int,
    times: Times,
    about: str,
    named: Mapping[str, str] | None,
) -> HistoryLine:
    texts = {owed.contingency_id: owed.text.partition(",")[0] for owed in record.contingencies}
    text = texts.get(file.contingency or "")
    what_for = f" ({text})" if text else ""
    return HistoryLine(
        at=times.at(file.received),
        text=f"{file.name} was uploaded for option {number}{what_for}.",
        about=about,
        by=file.uploaded_by if named is None else named.get(file.uploaded_by, ""),
        raw=f"{record.quote.quote_id} upload {file.document_id} {file.judged.verdict}",
    )


def _grouped(kept: Iterable[JournalEntry], about: Mapping[Any, str]) -> list[_Together]:
    groups: list[_Together] = []
    latest: dict[tuple[str, str, str], _Together] = {}
    for entry in kept:
        step = (about.get(entry.quote_id, ""), _sentence_of(entry), entry.actor)
        group = latest.get(step)
        if group is not None and group.takes(entry):
            group.entries.append(entry)
        else:
            latest[step] = _Together(step[0], step[1], [entry])
            groups.append(latest[step])
    return groups


def _line(
    group: _Together, options: Mapping[Any, int], times: Times, named: Mapping[str, str] | None
) -> HistoryLine:
    together = sorted(group.entries, key=lambda entry: options[entry.quote_id])
    numbers = [str(options[entry.quote_id]) for entry in together]
    who = f"Option {numbers[0]} was" if len(numbers) == 1 else f"Options {listed(numbers)} were"
    if group.said.startswith(("became", "had", "expired", "lapsed", "ended")):
        who = who.removesuffix(" was").removesuffix(" were")
    stop = "" if group.said.endswith((".", "!", "?")) else "."
    actor = together[0].actor
    return HistoryLine(
        at=times.at(group.entries[0].at),
        text=f"{who} {group.said}{stop}",
        about=group.about,
        by=actor if named is None else named.get(actor, ""),
        raw="\n".join(f"{entry.quote_id} #{entry.entry} {entry.trigger} {entry.data}" for entry in together),
        tone=TONES.get(together[0].trigger, ""),
    )


def _sentence_of(entry: JournalEntry) -> str:
    return SENTENCES[entry.trigger](msgspec.json.decode(entry.data))
