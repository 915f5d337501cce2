import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache, lru_cache
from itertools import groupby
from typing import Final
from urllib.parse import urlencode

import msgspec

from bindery.storage.desk.desk import MOST_COUNTED, DeskCounts, DeskItem, LastDecided, TakenCase
from bindery.storage.desk.desk_filter import DeskKind, DeskOrder
from bindery.web.shown.links import ViewLink
from bindery.web.shown.words import (
    A_MINUTE,
    Moment,
    Times,
    Tone,
    counted,
    day_of_year,
    listed,
    money,
    product_name,
)

KINDS: Final[Mapping[DeskKind, str]] = {
    DeskKind.REFERRAL: "Referral",
    DeskKind.BIND: "Bind",
    DeskKind.PAPER: "Papers",
    DeskKind.CANCELLATION: "Cancellation",
    DeskKind.CHANGE: "Change",
    DeskKind.APPROVAL: "Second approval",
}
WHAT_WAITS: Final[Mapping[DeskKind, str]] = {
    DeskKind.REFERRAL: "a referral",
    DeskKind.BIND: "a bind",
    DeskKind.PAPER: "papers",
    DeskKind.CANCELLATION: "a cancellation",
    DeskKind.CHANGE: "a change of the policy",
    DeskKind.APPROVAL: "an approval",
}
MOST_TAGS: Final = 3
SEVERE: Final = frozenset({"red_flags"})
"""Reasons that are severe no matter what the rule recommends."""
AN_HOUR: Final = timedelta(hours=1)
TWO_DAYS: Final = timedelta(days=2)


@dataclass(frozen=True, slots=True)
class Tag:
    text: str
    tone: Tone


DECLINE_ADVISED: Final = Tag("decline advised", Tone.BAD)


class ShownItem(msgspec.Struct, frozen=True):
    submission_id: str
    address: str
    name: str
    product: str
    kind: str
    age: Moment
    due: Moment
    is_late: bool
    limit: str
    stake: str
    is_priced: bool
    severe: tuple[str, ...]
    reasons: str
    """Those that are not severe, in words."""
    why: str
    """All of them, for whom the cell is too narrow."""
    taker: str
    is_mine: bool
    here: str
    """Who else has the case open right now."""


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that are due together; `title` is empty where the queue is in another order."""

    title: str
    rows: tuple[ShownItem, ...]
    is_late: bool


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column to sort by; `sorts` is the order for screen readers."""

    text: str
    address: str
    is_figure: bool
    sorts: str


def shown_items(
    items: Iterable[DeskItem],
    times: Times,
    *,
    user_id: int,
    queue_filter: str,
    here: Callable[[uuid.UUID], tuple[str, ...]] = lambda _: (),
) -> tuple[ShownItem, ...]:
    """Return the rows of the queue; `queue_filter` is the query of the part of it that they are shown in.

    `here` returns who else has a case open.
    """
    along = f"?{queue_filter}" if queue_filter else ""
    return tuple(_shown_item(item, times, user_id, along, here(item.submission_id)) for item in items)


def _shown_item(item: DeskItem, times: Times, user_id: int, along: str, here: tuple[str, ...]) -> ShownItem:
    worded = tuple(filter(None, (reason_of(code, times) for code in item.reasons)))
    severe, reasons, why = _why(worded, is_decline_advised=item.is_decline_advised)
    if item.asker is not None:
        waits = f"{item.asker} waits for {item.taker or 'a colleague'}"
        reasons, why = (", ".join(filter(None, (waits, text))) for text in (reasons, why))
    submission_id = str(item.submission_id)
    return ShownItem(
        submission_id=submission_id,
        address=f"/desk/case/{submission_id}{along}",
        name=item.name,
        product=product_name(item.product),
        kind=KINDS[item.kind],
        age=times.named(_short(times.now - item.opened_at), item.opened_at),
        due=_due(item, times),
        is_late=item.asked_at is None and item.due_at < times.now,
        limit=money(item.aggregate_limit),
        stake=money(item.at_stake) if item.at_stake else "not priced",
        is_priced=item.at_stake > 0,
        severe=severe,
        reasons=reasons,
        why=why,
        taker=item.taker or "",
        is_mine=item.taken_by == user_id,
        here=listed(list(here)) if here else "",
    )


@lru_cache(maxsize=256)
def _why(worded: tuple[str, ...], *, is_decline_advised: bool) -> tuple[tuple[str, ...], str, str]:
    """Return the severe reasons of those shown, the others of them in words, and all reasons in words."""
    tags = sorted(map(tag_of, worded), key=_is_plain)
    if is_decline_advised:
        tags.insert(0, DECLINE_ADVISED)
    shown = tags[:MOST_TAGS]
    plain = [tag.text for tag in shown if _is_plain(tag)]
    if len(tags) > MOST_TAGS:
        plain.append(f"{len(tags) - MOST_TAGS} more")
    severe = tuple(tag.text for tag in shown if not _is_plain(tag))
    return severe, ", ".join(plain), ", ".join(tag.text for tag in tags)


def _due(item: DeskItem, times: Times) -> Moment:
    """Return when it is due, or since when it waits for its broker and is not."""
    if item.asked_at is not None:
        return times.named(f"asked {_short(times.now - item.asked_at)} ago", item.asked_at)
    return times.named(short_due(item.due_at, times.now), item.due_at)


def short_due(due: datetime, now: datetime) -> str:
    if timedelta() <= now - due < A_MINUTE:
        return "now"
    return f"late {_short(now - due)}" if due < now else f"in {_short(due - now)}"


def _short(gone: timedelta) -> str:
    """Return a time as a narrow column has room for: 12 min, 37 h, 4 days."""
    if gone < AN_HOUR:
        return f"{max(gone // A_MINUTE, 0)} min"
    return f"{gone // AN_HOUR} h" if gone < TWO_DAYS else f"{gone.days} days"


def grouped(
    items: Sequence[DeskItem],
    rows: Sequence[ShownItem],
    times: Times,
    *,
    order: DeskOrder,
    is_first: bool,
    is_last: bool,
) -> tuple[Group, ...]:
    """Put rows in order of their due date under heads; a head counts its rows if the page has them all."""
    if order is not DeskOrder.DUE:
        return (Group("", tuple(rows), is_late=False),) if rows else ()
    pairs = zip(items, rows, strict=True)
    groups = [
        (title, tuple(row for _, row in found))
        for title, found in groupby(pairs, key=lambda pair: _due_group(pair[0].due_at, times))
    ]
    return tuple(
        Group(
            f"{title} · {len(found)}"
            if (place or is_first) and (place < len(groups) - 1 or is_last)
            else title,
            found,
            is_late=title == LATE,
        )
        for place, (title, found) in enumerate(groups)
    )


LATE: Final = "Late"


def _due_group(due: datetime, times: Times) -> str:
    if due < times.now:
        return LATE
    on, today = due.astimezone(times.zone).date(), times.today
    if on == today:
        return "Due today"
    return f"Tomorrow, {day_of_year(on)}" if on == today + timedelta(days=1) else "Later"


def queue_sentences(counts: DeskCounts, items: Sequence[DeskItem], times: Times) -> tuple[str, str]:
    """Return how much waits, and which case of these comes next for whoever takes one."""
    asked = (
        f"{capped(counts.asked)} {'waits for its broker' if counts.asked == 1 else 'wait for their brokers'}."
    )
    asked *= bool(counts.asked)
    if not counts.waiting:
        return asked, ""
    late = f", {capped(counts.late)} {'is' if counts.late == 1 else 'are'} late" if counts.late else ""
    waits = f"{capped(counts.waiting)} {'waits' if counts.waiting == 1 else 'wait'}{late}. {asked}".rstrip()
    following = next(_free(items), None)
    if following is None:
        return waits, ""
    due = short_due(following.due_at, times.now)
    when = due if following.due_at < times.now else f"due {due}"
    return waits, f"Next free case: {following.name}, {WHAT_WAITS[following.kind]}, {when}."


def _free(items: Iterable[DeskItem]) -> Iterator[DeskItem]:
    """Return those that nobody has taken; who has taken one item of a case has taken the case."""
    taken = {item.submission_id for item in items if item.taken_by is not None}
    return (item for item in items if item.submission_id not in taken and item.asked_at is None)


def shown_heads(order: DeskOrder, asked: Mapping[str, str]) -> dict[str, Head]:
    kept = {name: value for name, value in asked.items() if name not in {"sort", "after", "before"} and value}

    def head(by: DeskOrder, text: str, sorts: str, *, is_figure: bool = False) -> Head:
        address = f"/desk?{urlencode({**kept, 'sort': by})}"
        return Head(text, address, is_figure, sorts if by is order else "")

    return {
        "due": head(DeskOrder.DUE, "Due", "ascending"),
        "opened": head(DeskOrder.OPENED, "Waiting", "ascending", is_figure=True),
        "stake": head(DeskOrder.STAKE, "Stake", "descending", is_figure=True),
    }


def nothing_waits(counts: DeskCounts, last: LastDecided | None, times: Times) -> str:
    if counts.waiting:
        return "Nothing waits here."
    if last is None:
        return "Nothing waits."
    by = f" by {last.by}" if last.by else ""
    return f"Nothing waits. The last case left the desk on {times.at(last.at).text}{by}."


@cache
def tag_of(code: str) -> Tag:
    if code in SEVERE:
        return Tag(f"severe: {reason_words(code)}", Tone.BAD)
    return Tag(reason_words(code), Tone.PLAIN)


def _is_plain(tag: Tag) -> bool:
    return tag.tone is Tone.PLAIN


_CAME_IN: Final = {
    "signature": "signed application came in",
    "expiring_policy": "expiring policy came in",
    "remote_access_mfa": "evidence of MFA came in",
    "insured_entities": "list of entities came in",
    "diligent_search": "record of the diligent search came in",
}


def reason_of(code: str, times: Times) -> str:
    """Return a reason of the queue by its code; what a bind or a paper waits for has a value after it.

    Empty for what is no reason, such as a first day that is still to come.
    """
    kind, _, value = code.partition(":")
    match kind:
        case "begins":
            back = (times.today - date.fromisoformat(value)).days
            return f"begins {counted(back, 'day')} back" if back > 0 else ""
        case "prior_acts":
            return f"prior acts from {value[:4]}" if value[:4].isdecimal() else "full prior acts"
        case "file":
            return _CAME_IN.get(value, "file came in")
        case "cancel_from" | "change_from":
            done = "canceled" if kind == "cancel_from" else "changed"
            return f"to be {done} as of {day_of_year(date.fromisoformat(value))}"
        case "pre_bind_open":
            return "pre-bind open"
        case _:
            return code


def reason_words(code: str) -> str:
    return code.replace("_", " ")


def capped(number: int) -> str:
    return f"{MOST_COUNTED}+" if number > MOST_COUNTED else str(number)


def views(counts: DeskCounts, here: str) -> tuple[ViewLink, ...]:
    rows = (
        ("all", "All open", counts.waiting),
        ("mine", "Mine", counts.mine),
        ("late", "Late", counts.late),
        ("binds", "Binds", counts.binds),
        ("papers", "Papers", counts.papers),
        ("waiting", "Waiting for broker", counts.asked),
    )
    return tuple(
        ViewLink(
            address=f"/desk?view={view}",
            text=text,
            is_here=view == here,
            count=capped(number),
            is_late=view == "late" and number > 0,
            key=str(place),
        )
        for place, (view, text, number) in enumerate(rows, 1)
    )


def taken_in_words(taken: Iterable[TakenCase], done: Callable[[str], str]) -> str:
    """Report what was done with a number of cases, and which of them colleagues keep."""
    keepers: dict[str, list[str]] = {}
    moved = 0
    for case in taken:
        if case.holder is None:
            moved += 1
        else:
            keepers.setdefault(case.holder, []).append(case.name)
    sentences = [done(counted(moved, "case"))] if moved else []
    sentences += [
        f"{holder} has {listed(names)}: open the case to take it over." for holder, names in keepers.items()
    ]
    return " ".join(sentences) or "Nothing was done: none of it is waiting any more."
