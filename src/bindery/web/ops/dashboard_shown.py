"""The five pictures of the dashboard, each with a sentence that is true of its data, a table and a list."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import cycle
from typing import Final

from markupsafe import Markup

from bindery.base.numbers import in_dollars
from bindery.domain.figures import DayFigures, Figures, ready_within_ms, total
from bindery.web.charts.bars import BarPart, LabeledBar, bars
from bindery.web.charts.plot import Layer, columns, legend
from bindery.web.desk.desk_shown import reason_words
from bindery.web.shown.words import NONE, PRODUCTS, day, product_name

HALF: Final = 0.5
NINE_OF_TEN: Final = 0.9
MOST_REASONS: Final = 8
MONTHS: Final = 6
MS: Final = 1000
PROMISED_MS: Final = 40_000
"""In which nine of ten options are to be ready."""
TONES: Final = ("f1", "f2", "f3")


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture; `span` is how many of the twelve columns its card takes."""

    key: str
    span: int
    title: str
    words: str
    chart: Markup
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    raw: tuple[tuple[str | int | float, ...], ...]

    @property
    def has_data(self) -> bool:
        """Whether there is anything to draw; the first cell of a row only names it."""
        return any(any(row[1:]) for row in self.raw)


@dataclass(frozen=True, slots=True)
class Range:
    """The days of a dashboard with their figures, oldest first, today the last; some days may have none."""

    days: tuple[date, ...]
    figures: tuple[DayFigures, ...]

    def by_day(self) -> list[Figures]:
        found: dict[date, list[Figures]] = {on: [] for on in self.days}
        for of_day in self.figures:
            if of_day.day in found:
                found[of_day.day].append(of_day.figures)
        return [total(found[on]) for on in self.days]


def days_until(today: date, count: int) -> tuple[date, ...]:
    return tuple(today - timedelta(days=back) for back in range(count - 1, -1, -1))


def first_month(today: date) -> date:
    months = today.year * 12 + today.month - MONTHS
    return date(months // 12, months % 12 + 1, 1)


def readiness(shown: Range) -> Picture:
    daily = shown.by_day()
    half = tuple(ready_within_ms(figures.readiness, HALF) for figures in daily)
    most = tuple(ready_within_ms(figures.readiness, NINE_OF_TEN) for figures in daily)
    layers = (
        Layer("half were ready", "f1", tuple(low or 0.0 for low in half)),
        Layer(
            "nine of ten were ready",
            "f2",
            tuple((high or 0.0) - (low or 0.0) for low, high in zip(half, most, strict=True)),
        ),
    )
    return Picture(
        key="readiness",
        span=7,
        title="How soon options are ready",
        words=readiness_words(shown.days, daily),
        chart=columns("readiness", _labels(shown.days), layers, seconds, mark=PROMISED_MS),
        head=("Day", "Options ready", "Half within", "9 of 10 within"),
        rows=tuple(
            (day(on), f"{sum(figures.readiness):,}", seconds(low), seconds(high))
            for on, figures, low, high in zip(shown.days, daily, half, most, strict=True)
        ),
        raw=tuple(
            (on.isoformat(), sum(figures.readiness), _raw_seconds(low), _raw_seconds(high))
            for on, figures, low, high in zip(shown.days, daily, half, most, strict=True)
        ),
    )


def readiness_words(days: Sequence[date], daily: Sequence[Figures]) -> str:
    whole = total(daily)
    if not sum(whole.readiness):
        return "No option became ready in this period."
    found = [
        (on, ready_within_ms(figures.readiness, NINE_OF_TEN) or 0.0)
        for on, figures in zip(days, daily, strict=True)
        if sum(figures.readiness)
    ]
    sentence = (
        f"Half of {_options(sum(whole.readiness))} were ready within "
        f"{seconds(ready_within_ms(whole.readiness, HALF))}, nine of ten within "
        f"{seconds(ready_within_ms(whole.readiness, NINE_OF_TEN))}."
    )
    late = sum(within > PROMISED_MS for _, within in found)
    if late:
        of_days = "That is" if len(found) == 1 else f"On {late} of {len(found)} days it was"
        sentence = f"{sentence} {of_days} over the 40 seconds that partners are told."
    if len(found) == 1:
        return sentence
    (_, first), (_, last) = found[0], found[-1]
    if seconds(first) == seconds(last):
        change = f"Nine of ten took {seconds(last)} on the first day as on the last"
    else:
        verb = "rose" if last > first else "fell"
        change = (
            f"From the first day to the last, nine of ten {verb} from {seconds(first)} to {seconds(last)}"
        )
    worst_day, worst = max(found, key=lambda pair: pair[1])
    return f"{sentence} {change}; the slowest day was {day(worst_day)} with {seconds(worst)}."


def funnel(shown: Range) -> Picture:
    whole = total(of_day.figures for of_day in shown.figures)
    stages = (
        ("Submitted", whole.submitted, "f1"),
        ("With an underwriter", whole.referred, "f2"),
        ("Published", whole.published, "f1"),
        ("Bound", whole.bound, "f1"),
    )
    return Picture(
        key="funnel",
        span=5,
        title="From submitted to bound",
        words=funnel_words(whole),
        chart=bars(
            [
                LabeledBar(
                    name,
                    f"{count:,} · {share(count, whole.submitted)}" if place else f"{count:,}",
                    (BarPart(count, tone),),
                )
                for place, (name, count, tone) in enumerate(stages)
            ],
            caption="From submitted to bound",
            is_roomy=True,
        ),
        head=("Step", "Options", "Of those submitted"),
        rows=tuple((name, f"{count:,}", share(count, whole.submitted)) for name, count, _ in stages),
        raw=tuple((name, count, _raw_share(count, whole.submitted)) for name, count, _ in stages),
    )


def funnel_words(whole: Figures) -> str:
    if not whole.submitted:
        return "No option was submitted in this period."
    referred = f", {whole.referred:,} went to an underwriter first" if whole.referred else ""
    return (
        f"{_options(whole.submitted).capitalize()} came in{referred}; {_were(whole.published)} published "
        f"and {whole.bound:,} bound.{_by_underwriters(whole)}"
    )


def _by_underwriters(whole: Figures) -> str:
    """Return what underwriters did of their own accord, in a sentence; empty for nothing."""
    did = [
        *([f"offered {_options(whole.offered)} beside them"] if whole.offered else []),
        *([f"added {_subjectivities(whole.subjectivities)}"] if whole.subjectivities else []),
    ]
    return f" Underwriters {' and '.join(did)}." if did else ""


def _subjectivities(count: int) -> str:
    return "1 subjectivity" if count == 1 else f"{count:,} subjectivities"


def referrals(shown: Range) -> Picture:
    reasons = total(of_day.figures for of_day in shown.figures).reasons
    ordered = sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))
    return Picture(
        key="referrals",
        span=4,
        title="Why options are referred",
        words=referral_words(reasons),
        chart=bars(
            [
                LabeledBar(reason_words(code), f"{count:,}", (BarPart(count, "f2"),))
                for code, count in ordered[:MOST_REASONS]
            ],
            caption="Why options are referred",
        ),
        head=("Reason", "Options"),
        rows=tuple((reason_words(code), f"{count:,}") for code, count in ordered),
        raw=tuple(ordered),
    )


def referral_words(reasons: Mapping[str, int]) -> str:
    if not reasons:
        return "No option was referred in this period."
    count = sum(reasons.values())
    code, most = min(reasons.items(), key=lambda pair: (-pair[1], pair[0]))
    if len(reasons) == 1:
        return f"All {count:,} referrals have one reason: {reason_words(code)}."
    return (
        f"{len(reasons)} reasons were given {count:,} times; the most frequent is {reason_words(code)} "
        f"with {most:,} ({share(most, count)}). An option may have several."
    )


def premium(shown: Range) -> Picture:
    months = sorted({(on.year, on.month) for on in shown.days})
    sums = {
        (month, product): sum(
            of_day.figures.premium
            for of_day in shown.figures
            if (of_day.day.year, of_day.day.month) == month and of_day.product == product
        )
        for month in months
        for product in PRODUCTS
    }
    drawn = [
        LabeledBar(
            _month(month),
            in_dollars(sum(sums[month, product] for product in PRODUCTS)),
            tuple(BarPart(sums[month, product], tone) for product, tone in zip(PRODUCTS, cycle(TONES))),
        )
        for month in months
    ]
    returned = sum(of_day.figures.returned for of_day in shown.figures)
    by_product = {
        product_name(product): sum(sums[month, product] for month in months) for product in PRODUCTS
    }
    return Picture(
        key="premium",
        span=4,
        title="Premium bound by month",
        words=premium_words(by_product, _month(months[0]), returned=returned),
        chart=Markup("{}{}").format(
            bars(drawn, caption="Premium bound by month"), legend([*zip(PRODUCTS.values(), cycle(TONES))])
        ),
        head=("Month", *PRODUCTS.values(), "Together"),
        rows=tuple(
            (bar.label, *(in_dollars(sums[month, product]) for product in PRODUCTS), bar.figure)
            for month, bar in zip(months, drawn, strict=True)
        ),
        raw=tuple(
            (f"{month[0]}-{month[1]:02}", *(sums[month, product] for product in PRODUCTS), int(bar.amount))
            for month, bar in zip(months, drawn, strict=True)
        ),
    )


def premium_words(by_product: Mapping[str, int], since: str, *, returned: int = 0) -> str:
    whole = sum(by_product.values())
    if not whole:
        return f"Nothing has been bound since {since}."
    name, most = max(by_product.items(), key=lambda pair: pair[1])
    back = f" {in_dollars(returned)} was returned for cancellations." if returned else ""
    part = "all" if most == whole else share(most, whole)
    return f"{in_dollars(whole)} has been bound since {since}, {part} of it {name}.{back}"


def deliveries(shown: Range) -> Picture:
    daily = shown.by_day()
    layers = (
        Layer("within a minute", "f1", tuple(figures.delivered for figures in daily)),
        Layer("later", "f-warn", tuple(figures.delivered_late for figures in daily)),
        Layer("failed", "f-bad", tuple(figures.undelivered for figures in daily)),
    )
    return Picture(
        key="deliveries",
        span=4,
        title="Deliveries to webhooks",
        words=delivery_words(total(daily)),
        chart=columns("deliveries", _labels(shown.days), layers, whole_number),
        head=("Day", "Within a minute", "Later", "Failed"),
        rows=tuple(
            (day(on), f"{figures.delivered:,}", f"{figures.delivered_late:,}", f"{figures.undelivered:,}")
            for on, figures in zip(shown.days, daily, strict=True)
        ),
        raw=tuple(
            (on.isoformat(), figures.delivered, figures.delivered_late, figures.undelivered)
            for on, figures in zip(shown.days, daily, strict=True)
        ),
    )


def delivery_words(whole: Figures) -> str:
    count = whole.delivered + whole.delivered_late + whole.undelivered
    if not count:
        return "Nothing was delivered in this period."
    failed = (
        "none failed"
        if not whole.undelivered
        else (f"{whole.undelivered:,} failed for good ({share(whole.undelivered, count)})")
    )
    return (
        f"Of {count:,} deliveries {whole.delivered:,} ({share(whole.delivered, count)}) arrived within a "
        f"minute of their event, {whole.delivered_late:,} later, and {failed}."
    )


PICTURES: Final[Mapping[str, Callable[[Range], Picture]]] = {
    "funnel": funnel,
    "readiness": readiness,
    "referrals": referrals,
    "premium": premium,
    "deliveries": deliveries,
}
BY_MONTH: Final = "premium"
"""The picture that shows months, whatever the range."""


def seconds(ms: float | None) -> str:
    if ms is None:
        return NONE
    if ms < MS:
        return f"{ms:.0f} ms"
    if ms < 60 * MS:
        return f"{ms / MS:.1f} s"
    return f"{ms / MS / 60:.1f} min"


def share(part: int, whole: int) -> str:
    """Return a part as percent of a whole; small parts are not rounded to nothing."""
    if not whole:
        return NONE
    percent = part / whole * 100
    return f"{percent:.1f}%" if 0 < percent < 1 or 99 < percent < 100 else f"{percent:.0f}%"  # noqa: PLR2004 - percent


def whole_number(value: float) -> str:
    """Return a count; empty for fractions, which an axis of counts does not label."""
    return f"{value:,.0f}" if value == int(value) else ""


def _options(count: int) -> str:
    return "1 option" if count == 1 else f"{count:,} options"


def _were(count: int) -> str:
    return "1 was" if count == 1 else f"{count:,} were"


def _labels(days: Sequence[date]) -> tuple[str, ...]:
    return tuple(f"{on:%b} {on.day}" for on in days)


def _month(month: tuple[int, int]) -> str:
    return f"{date(*month, 1):%b %Y}"


def _raw_seconds(ms: float | None) -> float | str:
    return "" if ms is None else round(ms / MS, 3)


def _raw_share(part: int, whole: int) -> float | str:
    return round(part / whole, 4) if whole else ""
