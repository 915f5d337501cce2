"""The journal in words."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

import msgspec

from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import CREATE, JournalEntry
from bindery.web.shown.words import Moment, Times, day, listed, money

T = Trigger
_Data = Mapping[str, Any]

IN_ONE_GO: Final = timedelta(minutes=1)
"""Options that take the same step within this time share a line: a sweep does one after the other."""


@dataclass(frozen=True, slots=True)
class HistoryLine:
    at: Moment
    text: str
    about: str
    by: str
    raw: str


def _said(sentence: str) -> Callable[[_Data], str]:
    return lambda _data: sentence


def _because(sentence: str) -> Callable[[_Data], str]:
    return lambda data: f"{sentence}: {data['reason']}" if data.get("reason") else sentence


def _contingency(data: _Data) -> str:
    if added := data.get("added"):
        return f"became subject to: {added['text']}"
    return "had a contingency closed" if "closed" in data else "had a contingency reopened"


def _canceled(data: _Data) -> str:
    returned = data.get("returned_premium")
    on = f" from {day(date.fromisoformat(data['effective']))} on" if data.get("effective") else ""
    back = f", {money(returned)} returned" if returned else ""
    return _because(f"canceled{on}{back}")(data)


def _alert(data: _Data) -> str:
    found = [f"{finding['title']} ({finding['host']})" for finding in data.get("findings", ())]
    return f"had a security alert: {'; '.join(found)}"


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
    T.WITHDRAW: _said("withdrawn by the partner"),
    T.REQUEST_CANCELLATION: _because("sent to an underwriter for cancellation"),
    T.DECLINE_CANCELLATION: _because("left in force; the cancellation was declined"),
    T.CHANGE_CONTINGENCIES: _contingency,
    T.RAISE_SECURITY_ALERT: _alert,
    T.PAUSE_RENEWAL: _said("set to renew by hand only"),
    T.RESUME_RENEWAL: _said("set to renew automatically again"),
    T.EXPIRE: _said("expired"),
    T.GO_STALE: _said("left undecided for 60 days"),
    T.REQUEST_BIND: _said("sent to an underwriter to be bound"),
    T.PASS_OVER: _said("passed over for another option"),
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
) -> tuple[HistoryLine, ...]:
    """Return what happened, the newest first; options that took the same step in one go share a line.

    `options` are the numbers of the options by quote. `named` are the names of actors that may be shown; None
    shows all of them as the journal has them. `about` is the submission of each quote, if there are several.
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
    return tuple(_line(group, options, times, named) for group in _grouped(kept, about or {}))


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
    )


def _sentence_of(entry: JournalEntry) -> str:
    return SENTENCES[entry.trigger](msgspec.json.decode(entry.data))
