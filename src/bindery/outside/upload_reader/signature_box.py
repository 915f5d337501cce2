"""Looks for ink in the place for the signature, on any picture of the page.

The issued application says where that place is: its signature field, and the codes on the same page. Codes
that are found again on a picture say how the page lies there, slanted and upside down if need be; the lines
printed at the signature confirm it. Whatever is dark and was not printed by us is ink.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

INK, EMPTY, UNCLEAR = "ink", "empty", "unclear"
"""What is seen at the place; `unclear` also where it cannot be seen."""

DOTS: Final = 2.0
"""Dots of the looked-at place for each point of the page."""
ABOVE, BELOW, BESIDE = 34.0, 16.0, 4.0
"""Points around the line to sign on: what is above is signed, the label below helps to find the line."""
LINE_BELOW_FIELD: Final = 3.0
SLACK: Final = 14
"""Dots by which the lines may lie elsewhere than the codes say."""
SURE: Final = 0.4
"""The share of our own lines that has to be found where they should be."""
DARK, FAINT = 0.13, 0.07
"""Of the difference between our ink and the paper: a light pencil has about twice the first; the second is
less than anybody writes with, and more than the grain of most paper."""
SPECK: Final = 10
"""Dots that a stroke is long at least; dust and the grain of a scan are smaller."""
LEAST_INK, LEAST_LENGTH = 60, 20
"""Dots of all strokes, and of the longest: initials have hundreds, an empty place has none."""
MOST_SPECKS: Final = 60
"""With more of them, the picture is too coarse to tell dirt from ink."""
WINDOW, BRIGHT = 9, 65
STRAIGHT: Final = 4
_SMALLEST_PIVOT: Final = 1e-9

Point = tuple[float, float]
Image = Any
"""A picture of a library that is imported under the limits."""


@dataclass(frozen=True)
class Code:
    """A code on a picture, with its four corners clockwise from its own top left."""

    text: str
    corners: tuple[Point, ...]


@dataclass(frozen=True)
class SignaturePlace:
    """The place for the signature on its page, in points from the top left; `printed` is what we printed."""

    page: int
    left: float
    top: float
    width: float
    height: float
    printed: Image
    anchors: Mapping[str, tuple[Point, ...]]


def place_on(
    page: int, picture: Image, field: Sequence[float], codes: Mapping[str, Code], scale: float
) -> SignaturePlace:
    """Return the place around a field (left, top, right, bottom) of the issued application."""
    left, _, right, bottom = field
    line = bottom + LINE_BELOW_FIELD
    box = (left - BESIDE, line - ABOVE, right + BESIDE, line + BELOW)
    size = (round((box[2] - box[0]) * DOTS), round((box[3] - box[1]) * DOTS))
    from PIL import Image as Pillow  # noqa: PLC0415 - imported under the limits

    step = scale / DOTS
    printed = picture.transform(
        size,
        Pillow.Transform.AFFINE,
        (step, 0, box[0] * scale, 0, step, box[1] * scale),
        Pillow.Resampling.BILINEAR,
    )
    anchors = {place: tuple((x / scale, y / scale) for x, y in code.corners) for place, code in codes.items()}
    return SignaturePlace(page, box[0], box[1], box[2] - box[0], box[3] - box[1], printed, anchors)


def look(picture: Image, place: SignaturePlace, codes: Mapping[str, Code]) -> str:
    """Return whether there is ink at the place, by the codes found on a gray picture of its page."""
    pairs = [
        (anchor, corner)
        for name, code in codes.items()
        if name in place.anchors
        for anchor, corner in zip(place.anchors[name], code.corners, strict=True)
    ]
    plane = _plane(pairs)
    if plane is None:
        return UNCLEAR
    contrast = max(_contrast(picture, code) for name, code in codes.items() if name in place.anchors)
    return _judge(_flattened(picture, place, plane), place, contrast)


def look_flat(picture: Image, place: SignaturePlace, scale: float) -> str:
    """Return the same of a page that was not printed and is as large as it was issued."""
    return _judge(_flattened(picture, place, (scale, 0, 0, 0, scale, 0, 0, 0, 1)), place, 1.0)


def _flattened(picture: Image, place: SignaturePlace, plane: Sequence[float]) -> Image:
    from PIL import Image as Pillow  # noqa: PLC0415 - as above

    a, b, c, d, e, f, g, h, i = plane
    step, left, top = 1 / DOTS, place.left - SLACK / DOTS, place.top - SLACK / DOTS
    c, f, i = a * left + b * top + c, d * left + e * top + f, g * left + h * top + i
    a, b, d, e, g, h = (value * step for value in (a, b, d, e, g, h))
    size = (place.printed.width + 2 * SLACK, place.printed.height + 2 * SLACK)
    return picture.transform(
        size,
        Pillow.Transform.PERSPECTIVE,
        tuple(value / i for value in (a, b, c, d, e, f, g, h)),
        Pillow.Resampling.BILINEAR,
        fillcolor=255,
    )


def _judge(seen: Image, place: SignaturePlace, contrast: float) -> str:
    printed = _dark(place.printed, DARK)
    dark = _dark(seen, DARK * contrast)
    shift = _lines_at(dark, printed)
    if shift is None:
        return UNCLEAR
    ink = _added(dark, printed, shift)
    if ink.specks > MOST_SPECKS:
        return UNCLEAR
    if ink.is_writing:
        return INK
    # Before anybody is refused for lack of a signature, the faintest one is looked for.
    faint = _added(_dark(seen, FAINT * contrast), printed, shift)
    return UNCLEAR if ink.dots or faint.is_writing else EMPTY


def _lines_at(dark: Image, printed: Image) -> tuple[int, int] | None:
    """Return where our own lines are found again, by how much of them is there; None if too little is."""
    from PIL import ImageChops  # noqa: PLC0415 - as above

    best, shift = 0, None
    for down in range(2 * SLACK + 1):
        for right in range(0, 2 * SLACK + 1, 2):
            there = dark.crop((right, down, right + printed.width, down + printed.height))
            overlap = _count(ImageChops.multiply(there, printed))
            if overlap > best:
                best, shift = overlap, (right, down)
    return shift if best and best >= SURE * _count(printed) else None


@dataclass(frozen=True)
class _Ink:
    dots: int
    longest: int
    specks: int

    @property
    def is_writing(self) -> bool:
        return self.dots >= LEAST_INK and self.longest >= LEAST_LENGTH


def _added(dark: Image, printed: Image, shift: tuple[int, int]) -> _Ink:
    """Measure what is dark above the line and was not printed by us."""
    from PIL import ImageChops, ImageFilter  # noqa: PLC0415 - as above

    right, down = shift
    there = dark.crop((right, down, right + printed.width, down + printed.height))
    added = ImageChops.subtract(there, printed.filter(ImageFilter.MaxFilter(9)))
    # A thin stroke of a light pen comes in pieces.
    above = added.crop((0, 0, added.width, round((ABOVE + 1) * DOTS))).filter(ImageFilter.MaxFilter(3))
    dots = longest = specks = 0
    for size, width, height in _strokes(above):
        is_line = (width <= STRAIGHT and height >= 0.8 * above.height) or (
            height <= STRAIGHT and width >= 0.4 * above.width
        )
        if max(width, height) < SPECK:
            specks += 1
        elif not is_line:
            dots += size
            longest = max(longest, width, height)
    return _Ink(dots, longest, specks)


def _dark(picture: Image, share: float) -> Image:
    """Return what is darker than the paper around it, by a share of its brightness, as white on black."""
    from PIL import Image as Pillow, ImageChops, ImageFilter  # noqa: I001, PLC0415 - as above

    smooth = picture.filter(ImageFilter.GaussianBlur(0.8))
    small = smooth.resize((max(1, picture.width // 4), max(1, picture.height // 4)), Pillow.Resampling.BOX)
    paper = small.filter(ImageFilter.RankFilter(WINDOW, BRIGHT)).resize(
        picture.size, Pillow.Resampling.BILINEAR
    )
    limit = paper.point([int(value * (1 - share)) for value in range(256)])
    return ImageChops.subtract(limit, smooth).point([0] + [255] * 255)


def _contrast(picture: Image, code: Code) -> float:
    """Return how dark our ink is where a code is: near one on a good picture, less on a poor one."""
    xs, ys = [x for x, _ in code.corners], [y for _, y in code.corners]
    around = picture.crop((int(min(xs)), int(min(ys)), int(max(xs)) + 1, int(max(ys)) + 1))
    counts = around.histogram()
    dark, light = _percentile(counts, 0.1), _percentile(counts, 0.9)
    return max(0.2, 1 - dark / max(1, light))


def _percentile(counts: Sequence[int], share: float) -> int:
    left = share * sum(counts)
    for value, count in enumerate(counts):
        left -= count
        if left <= 0:
            return value
    return len(counts) - 1


def _count(mask: Image) -> int:
    counted: int = mask.histogram()[255]
    return counted


def _strokes(mask: Image) -> list[tuple[int, int, int]]:
    """Return the connected parts of a mask: how many dots each has, how wide and how high it is."""
    from PIL import ImageOps  # noqa: PLC0415 - as above

    # A blank edge keeps the end of a row apart from the start of the next.
    mask = ImageOps.expand(mask, 1, 0)
    width = mask.width
    left = {place for place, value in enumerate(mask.tobytes()) if value}
    found = []
    while left:
        queue = [left.pop()]
        places = []
        while queue:
            place = queue.pop()
            places.append(place)
            for step in (1, -1, width, -width, width + 1, width - 1, -width + 1, -width - 1):
                if place + step in left:
                    left.remove(place + step)
                    queue.append(place + step)
        columns, rows = [place % width for place in places], [place // width for place in places]
        found.append((len(places), max(columns) - min(columns) + 1, max(rows) - min(rows) + 1))
    return found


def _plane(pairs: Sequence[tuple[Point, Point]]) -> Sequence[float] | None:
    """Return the nine numbers that lead from the page to the picture; None where the codes do not tell.

    One code says how the page is turned and stretched, but hardly how it is slanted: too small for that.
    """
    if len(pairs) < 4:  # noqa: PLR2004 - the corners of one code
        return None
    if len(pairs) == 4:  # noqa: PLR2004 - as above
        across = _solved([((x, y, 1.0), u) for (x, y), (u, _) in pairs])
        along = _solved([((x, y, 1.0), v) for (x, y), (_, v) in pairs])
        return None if across is None or along is None else (*across, *along, 0.0, 0.0, 1.0)
    rows = []
    for (x, y), (u, v) in pairs:
        rows.append(((x, y, 1.0, 0.0, 0.0, 0.0, -u * x, -u * y), u))
        rows.append(((0.0, 0.0, 0.0, x, y, 1.0, -v * x, -v * y), v))
    solved = _solved(rows)
    return None if solved is None else (*solved, 1.0)


def _solved(rows: Sequence[tuple[Sequence[float], float]]) -> list[float] | None:
    """Solve linear equations, more of them than unknowns, by least squares."""
    count = len(rows[0][0])
    # Columns of like size keep the sums exact enough.
    sizes = [max(abs(row[place]) for row, _ in rows) or 1.0 for place in range(count)]
    table = [
        [sum(row[i] * row[j] / sizes[i] / sizes[j] for row, _ in rows) for j in range(count)]
        + [sum(row[i] * value / sizes[i] for row, value in rows)]
        for i in range(count)
    ]
    for place in range(count):
        pivot = max(range(place, count), key=lambda row: abs(table[row][place]))
        if abs(table[pivot][place]) < _SMALLEST_PIVOT:
            return None
        table[place], table[pivot] = table[pivot], table[place]
        for row in range(count):
            if row != place:
                factor = table[row][place] / table[place][place]
                table[row] = [
                    ours - factor * theirs for ours, theirs in zip(table[row], table[place], strict=True)
                ]
    return [table[place][count] / table[place][place] / sizes[place] for place in range(count)]
