"""The picture of the README: a quote's way in five steps."""

from itertools import pairwise
from typing import Final

from bindery.contract.vocabulary import QuoteStatus as S
from tools.svg import ACCENT, INK, LINE, QUIET, SOFT, Box, label, line, picture, rectangle, text

WIDTH: Final = 1000
HEIGHT: Final = 356
CARD: Final = 168
STEP: Final = 192
TOP: Final = 36
CARD_HEIGHT: Final = 152
DESK_Y: Final = 276

STEPS: Final = (
    ("Submit", ("applicant, up to 15", "options, answers"), S.CREATED),
    ("Scan", ("the applicant's domains,", "seen from outside"), S.AQ_CREATED),
    ("Price", ("a dated tariff, a worksheet", "that multiplies out"), S.CALCULATING),
    ("Screen", ("every referral rule runs,", "every reason is kept"), S.CALC_COMPLETED),
    ("Publish", ("terms and premium,", "open for 60 days"), S.PUBLISHED),
)


def draw_flow() -> str:
    """Draw the five steps, and the desk where a person decides."""
    parts: list[str] = []
    boxes = [
        Box(32 + CARD / 2 + STEP * number, TOP + CARD_HEIGHT / 2, CARD, CARD_HEIGHT)
        for number in range(len(STEPS))
    ]
    for number, (box, (name, words, status)) in enumerate(zip(boxes, STEPS, strict=True), start=1):
        parts += _card(box, number, name, words, status, last=number == len(STEPS))
    for before, after in pairwise(boxes):
        parts.append(line([(before.right, before.y), (after.left, after.y)], colour=ACCENT, width=2.2))
    return picture(WIDTH, HEIGHT, "From request to published quote in five steps", [*parts, *_desk(boxes)])


def _card(box: Box, number: int, name: str, words: tuple[str, str], status: S, *, last: bool) -> list[str]:
    ink = "#fff" if last else INK
    return [
        rectangle(box, fill=ACCENT if last else SOFT, stroke=ACCENT if last else LINE, radius=12),
        rectangle(
            Box(box.left + 28, box.top + 30, 26, 26),
            fill="#fff" if last else ACCENT,
            stroke="none",
            radius=13,
        ),
        text(
            (box.left + 28, box.top + 30), str(number), size=13, weight=700, colour=ACCENT if last else "#fff"
        ),
        text((box.left + 50, box.top + 30), name, size=17, weight=700, colour=ink, anchor="start"),
        text((box.left + 16, box.top + 68), words[0], size=12, colour=ink, anchor="start"),
        text((box.left + 16, box.top + 86), words[1], size=12, colour=ink, anchor="start"),
        text(
            (box.left + 16, box.top + 124),
            status,
            size=12,
            weight=600,
            colour=ink,
            anchor="start",
            opacity=0.85,
        ),
    ]


def _desk(boxes: list[Box]) -> list[str]:
    """Draw how anything out of the ordinary reaches a person, and how it comes back."""
    stopped, published = boxes[1:4], boxes[4]
    desk = Box(boxes[2].x, DESK_Y + 18, 264, 76)
    bus = TOP + CARD_HEIGHT + 28
    stems = [line([(box.x, box.bottom), (box.x, bus), (desk.x, bus)], arrow=False) for box in stopped]
    return [
        *stems,
        line([(desk.x, bus), (desk.x, desk.top)]),
        label((stopped[0].x - 8, bus + 1), "anything out of the ordinary", anchor="end", size=12),
        line([(desk.right, desk.y), (published.x, desk.y), (published.x, published.bottom)]),
        label(((desk.right + published.x) / 2, desk.y - 11), "approve", size=12),
        rectangle(desk, fill="#fff", stroke=INK, radius=12, width=1.8),
        text((desk.x, desk.y - 17), "The desk", size=15, weight=700),
        text((desk.x, desk.y + 3), "an underwriter decides, with every reason", size=12),
        text((desk.x, desk.y + 22), S.QUOTE_REFERRED, size=12, weight=600, colour=QUIET),
    ]
