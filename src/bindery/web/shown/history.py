"""The journal in words."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from operator import itemgetter
from typing import Any, Final

import msgspec

from bindery.domain.access.caller import PARTNER_ACTOR
from bindery.domain.messages.webhooks import FOR_THE_DESK
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import CREATE, JournalEntry
from bindery.storage.quote.quote_view import QuoteRecord, UploadedFile
from bindery.web.shown.history_sentences import SENTENCES
from bindery.web.shown.words import Moment, Times, listed

T = Trigger
_Data = Mapping[str, Any]

IN_ONE_GO: Final = timedelta(minutes=1)
"""Options that take the same step within this time share a line: a sweep does one after the other."""


class HistoryLine(msgspec.Struct, frozen=True):
    """`tone` is `good` for a step that was hoped for, `wait` for one that leaves it to somebody."""

    at: Moment
    text: str
    about: str
    by: str
    raw: str
    tone: str = ""


INSIDE: Final = frozenset(
    {
        T.SCAN, T.PRICE, T.COMPLETE_PRICING, T.PASS_SCREENING, T.EXCEED_AUTHORITY, T.MISS_DOMAIN, T.FAIL_SCAN,
        T.COLLECT_NOTHING, T.FAIL_PRICING, T.FIND_RED_FLAGS, T.FIND_BROKER_CONFLICT, T.FAIL_SCREENING,
        T.MAKE_DOCUMENTS,
    }
)  # fmt: skip
"""Steps of the machine that say little to people, and are left out of their history."""
AMONG_UNDERWRITERS: Final = frozenset({T.ASK_COLLEAGUE, T.ANSWER_COLLEAGUE})
"""Steps that only the desk reads of: authority is no matter of the broker's."""


TONES: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        (
            T.APPROVE_REFERRAL, T.OFFER_OPTION, T.PUBLISH, T.PUBLISH_AMENDED, T.OFFER_RENEWAL, T.BIND,
            T.ISSUE, T.REINSTATE, T.REOPEN, T.DECLINE_CANCELLATION, T.SIGN_APPLICATION, T.RENEW_AFTER_ALL,
            T.CHANGE_POLICY,
        ),
        "good",
    ),
    **dict.fromkeys(
        (
            T.REFER, T.REQUEST_BIND, T.RETURN_TO_DESK, T.REQUEST_CANCELLATION, T.RAISE_SECURITY_ALERT,
            T.DECLINE_TO_SIGN, T.ASK_COLLEAGUE, T.ASK_BROKER, T.SEND_BACK, T.SEND_BACK_OFFER,
            T.TAKE_OFFER_BACK, T.HOLD_RENEWAL, T.NOT_RENEW, T.REFER_CHANGE,
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
    read = list(entries) if named is None else [*map(_for_brokers, _but_of_underwriters(entries))]
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


def _but_of_underwriters(entries: Iterable[JournalEntry]) -> Iterable[JournalEntry]:
    return (entry for entry in entries if entry.trigger not in AMONG_UNDERWRITERS)


def _for_brokers(entry: JournalEntry) -> JournalEntry:
    """Leave out what of a step is for the desk alone."""
    if not any(f'"{name}"' in entry.data for name in FOR_THE_DESK):
        return entry
    data = {
        name: value for name, value in msgspec.json.decode(entry.data).items() if name not in FOR_THE_DESK
    }
    return replace(entry, data=msgspec.json.encode(data).decode())


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
        by=_by(file.uploaded_by, named),
        raw=f"{record.quote.quote_id} upload {file.document_id} {file.judged.verdict}",
    )


def _by(actor: str, named: Mapping[str, str] | None) -> str:
    """Return who did it; for underwriters without the key of a partner, which says nothing to them."""
    if named is not None:
        return named.get(actor, "")
    return "the partner" if actor.startswith(PARTNER_ACTOR) else actor


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
    # A certificate is told of the policy, and the policy is named by its submission.
    if together[0].trigger == T.ISSUE_CERTIFICATES:
        who = ""
    stop = "" if group.said.endswith((".", "!", "?")) else "."
    actor = together[0].actor
    return HistoryLine(
        at=times.at(group.entries[0].at),
        text=f"{who} {group.said}{stop}".lstrip(),
        about=group.about,
        by=_by(actor, named),
        raw="\n".join(f"{entry.quote_id} #{entry.entry} {entry.trigger} {entry.data}" for entry in together),
        tone=TONES.get(together[0].trigger, ""),
    )


def _sentence_of(entry: JournalEntry) -> str:
    return SENTENCES[entry.trigger](msgspec.json.decode(entry.data))
