import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final
from urllib.parse import urlencode

from bindery.storage.desk.desk import MOST_COUNTED, DeskCounts, DeskItem, LastDecided, TakenCase
from bindery.storage.desk.desk_filter import DeskKind, DeskOrder
from bindery.web.shown.words import Moment, Times, Tone, counted, listed, money, product_name

KINDS: Final[Mapping[DeskKind, str]] = {
    DeskKind.REFERRAL: "Referral",
    DeskKind.BIND: "Bind",
    DeskKind.PAPER: "Papers",
    DeskKind.CANCELLATION: "Cancellation",
}
MOST_TAGS: Final = 3
SEVERE: Final = frozenset({"red_flags"})
"""Reasons that are severe no matter what the rule recommends."""


@dataclass(frozen=True, slots=True)
class Tag:
    text: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class ShownItem:
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
    reasons: tuple[Tag, ...]
    more_reasons: int
    is_decline_advised: bool
    taker: str
    is_mine: bool
    here: str
    """Who else has the case open right now."""


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column to sort by; `sorts` is the order for screen readers."""

    text: str
    address: str
    is_figure: bool
    sorts: str


@dataclass(frozen=True, slots=True)
class Tab:
    address: str
    text: str
    count: str
    is_here: bool


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
    return tuple(
        ShownItem(
            submission_id=str(item.submission_id),
            address=f"/desk/case/{item.submission_id}{along}",
            name=item.name,
            product=product_name(item.product),
            kind=KINDS[item.kind],
            age=times.since(item.opened_at),
            due=times.until(item.due_at),
            is_late=item.due_at < times.now,
            limit=money(item.aggregate_limit),
            stake=money(item.at_stake or None),
            reasons=tuple(sorted(map(tag_of, item.reasons), key=_is_plain)[:MOST_TAGS]),
            more_reasons=max(len(item.reasons) - MOST_TAGS, 0),
            is_decline_advised=item.is_decline_advised,
            taker=item.taker or "",
            is_mine=item.taken_by == user_id,
            here=listed(list(names)) if (names := here(item.submission_id)) else "",
        )
        for item in items
    )


def shown_heads(order: DeskOrder, asked: Mapping[str, str]) -> dict[str, Head]:
    kept = {name: value for name, value in asked.items() if name not in {"sort", "after", "before"} and value}

    def head(by: DeskOrder, text: str, sorts: str, *, is_figure: bool = False) -> Head:
        address = f"/desk?{urlencode({**kept, 'sort': by})}"
        return Head(text, address, is_figure, sorts if by is order else "")

    return {
        "due": head(DeskOrder.DUE, "Due", "ascending"),
        "opened": head(DeskOrder.OPENED, "Waiting", "ascending"),
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
        return Tag(f"severe: {reason_words(code)}", Tone.WARN)
    return Tag(reason_words(code), Tone.PLAIN)


def _is_plain(tag: Tag) -> bool:
    return tag.tone is Tone.PLAIN


def reason_words(code: str) -> str:
    return code.replace("_", " ")


def capped(number: int) -> str:
    return f"{MOST_COUNTED}+" if number > MOST_COUNTED else str(number)


def tabs(counts: DeskCounts, here: str) -> tuple[Tab, ...]:
    rows = (
        ("all", "All open", counts.waiting),
        ("mine", "Mine", counts.mine),
        ("late", "Late", counts.late),
        ("binds", "Binds", counts.binds),
        ("papers", "Papers", counts.papers),
    )
    return tuple(Tab(f"/desk?view={view}", text, capped(number), view == here) for view, text, number in rows)


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
