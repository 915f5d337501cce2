"""The picture of the life cycle: places are chosen by hand, what leads where comes from the table.

Every move of the table that leads on must be drawn, and nothing else may be: a new move fails until it has
its line.
"""

from collections.abc import Sequence
from typing import Final

from bindery.contract.vocabulary import QuoteStatus as S
from bindery.domain.lifecycle import BINDABLE, MOVES
from tools.lifecycle_lines import Drawn, all_lines
from tools.lifecycle_places import (
    DESK,
    OFFERS,
    OFFERS_PANEL,
    PIPELINE,
    PIPELINE_PANEL,
    PLACES,
    POLICY,
    STOPS,
    STOPS_PANEL,
)
from tools.svg import ACCENT, INK, LINE, QUIET, SOFT, Box, label, line, picture, rectangle, text

WIDTH: Final = 1190
HEIGHT: Final = 842
PERSON: Final = frozenset({S.QUOTE_REFERRED, S.QUOTE_BIND_REQUESTED})
OPEN: Final = frozenset({*BINDABLE, S.POLICY_ACTIVE})
ENDED: Final = frozenset(
    {
        S.QUOTE_DECLINED,
        S.STALE,
        S.QUOTE_NOT_BOUND,
        S.QUOTE_REVOKED,
        S.QUOTE_EXPIRED,
        S.POLICY_CANCELED,
        S.POLICY_EXPIRED,
    }
)

COLUMNS: Final = (
    (PIPELINE, "Pipeline", "scan, price, screen"),
    (STOPS, "What stops it", "noted, then passed on"),
    (DESK, "Desk", "a person decides"),
    (OFFERS, "Offers", "open for 60 days"),
    (POLICY, "Bind and policy", "in force for its term"),
)


def draw_lifecycle() -> str:
    """Draw the life cycle.

    Raises:
        ValueError: the picture and the table differ.
    """
    lines = all_lines()
    _check(lines)
    parts = [rectangle(panel, fill=SOFT, stroke="none", radius=12) for panel in _panels()]
    for x, name, meaning in COLUMNS:
        parts += [text((x, 56), name, size=15, weight=700), text((x, 77), meaning, size=11.5, opacity=0.7)]
    # The main way is drawn last, so that it lies on top where lines share a stem.
    parts += [_stroke(drawn) for drawn in sorted(lines, key=lambda drawn: drawn.main)]
    parts += [_status(status) for status in S]
    parts += [
        label(drawn.at, drawn.words, colour=ACCENT if drawn.main else INK, anchor=drawn.anchor)
        for drawn in lines
        if drawn.words
    ]
    return picture(WIDTH, HEIGHT, "The life cycle of a quote and its policy", [*parts, *_legend()])


def _check(lines: Sequence[Drawn]) -> None:
    drawn = {(trigger, s, each.target) for each in lines for trigger in each.triggers for s in each.sources}
    table = {(move.trigger, s, move.target) for move in MOVES for s in move.sources}
    leading_on = {(trigger, source, target) for trigger, source, target in table if source is not target}
    if not leading_on <= drawn <= table:
        missing = sorted(f"{t} from {s} to {u}" for t, s, u in leading_on - drawn)
        surplus = sorted(f"{t} from {s} to {u}" for t, s, u in drawn - table)
        raise ValueError(f"The picture of the life cycle lacks {missing} and has too much {surplus}.")
    if set(PLACES) != set(S):
        raise ValueError(f"The picture of the life cycle has no place for {set(S) - set(PLACES)}.")


def _panels() -> tuple[Box, ...]:
    return (PIPELINE_PANEL, STOPS_PANEL, OFFERS_PANEL)


def _stroke(drawn: Drawn) -> str:
    return line(
        drawn.points,
        colour=ACCENT if drawn.main else QUIET,
        arrow=drawn.arrow,
        width=2.2 if drawn.main else 1.3,
    )


def _look(status: S) -> tuple[str, str, float, str]:
    """Return the fill, the edge, its width and the colour of the words."""
    if status in OPEN:
        return ACCENT, ACCENT, 1, "#fff"
    if status in PERSON:
        return "#fff", INK, 1.8, INK
    if status in ENDED:
        return "#e2e8f0", "none", 0, INK
    return "#fff", LINE, 1, INK


def _status(status: S) -> str:
    fill, stroke, width, words = _look(status)
    box = PLACES[status]
    return rectangle(box, fill=fill, stroke=stroke, width=width) + text(
        (box.x, box.y), status, size=12.5, weight=600, colour=words
    )


def _legend() -> list[str]:
    kinds = (
        (S.CREATED, "worked on by the service"),
        (S.QUOTE_REFERRED, "waits for a person"),
        (S.PUBLISHED, "open, or in force"),
        (S.STALE, "ended"),
    )
    parts: list[str] = []
    for number, (example, meaning) in enumerate(kinds):
        fill, stroke, width, _ = _look(example)
        x, y = 36 + 170 * (number % 2) + (20 if number % 2 else 0), 726 + 30 * (number // 2)
        swatch = Box(x + 14, y, 28, 16)
        parts += [
            rectangle(swatch, fill=fill, stroke=stroke, width=width, radius=4),
            text((x + 38, y), meaning, size=11.5, anchor="start"),
        ]
    parts += [
        line([(416, 726), (452, 726)], colour=ACCENT, width=2.2),
        text((462, 726), "the way of a clean quote", size=11.5, anchor="start"),
        text(
            (36, 796),
            "Contingencies are added and closed without a move; the journal and the partner hear of it.",
            size=11.5,
            anchor="start",
            opacity=0.75,
        ),
    ]
    return parts
