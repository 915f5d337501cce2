"""Pictures are true of their data: what they draw, and the sentence that says the same."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest

from bindery.domain.figures import READY_WITHIN_MS, DayFigures, Figures
from bindery.web.charts.bars import BarPart, LabeledBar, bars, spark
from bindery.web.charts.plot import Layer, Scale, columns, nice_ticks, spread
from bindery.web.charts.scores import Dot, timeline
from bindery.web.ops.dashboard import hints
from bindery.web.ops.dashboard_shown import (
    PICTURES,
    Range,
    days_until,
    first_month,
    share,
)

TODAY = date(2026, 11, 16)


def ready(**counts: int) -> tuple[int, ...]:
    found = [0] * (len(READY_WITHIN_MS) + 1)
    for name, count in counts.items():
        found[READY_WITHIN_MS.index(int(name.removeprefix("ms")))] = count
    return tuple(found)


def shown(*figures: Figures, product: str = "CYB") -> Range:
    """The last days, one for each of the figures."""
    days = days_until(TODAY, len(figures))
    return Range(
        days,
        tuple(DayFigures(day, product, of_the_day) for day, of_the_day in zip(days, figures, strict=True)),
    )


@pytest.mark.parametrize(
    ("most", "ticks"),
    [
        (0, (0, 1)),
        (1, (0, 0.25, 0.5, 0.75, 1)),
        (7, (0, 2, 4, 6, 8)),
        (100, (0, 25, 50, 75, 100)),
        (1_234, (0, 500, 1000, 1500)),
    ],
)
def test_ticks_are_round_and_reach_the_largest_value(most: float, ticks: tuple[float, ...]) -> None:
    assert nice_ticks(most) == pytest.approx(ticks)
    assert Scale(nice_ticks(most), 200, 0).place(ticks[-1]) == 0


def test_the_last_day_is_always_labeled() -> None:
    assert spread(30, 6) == (4, 9, 14, 19, 24, 29)
    assert spread(3, 6) == (0, 1, 2)
    assert spread(0, 6) == ()


def test_a_day_without_a_value_has_no_column() -> None:
    drawn = columns("x", ["a", "b", "c"], [Layer("half", "f1", (1.0, 0, 3.0))], str)

    # At two sizes each, besides the color in the key.
    assert drawn.count('<rect class="f1" x=') == 2 * 2
    assert drawn.count('aria-labelledby="x-title x-words"') == 2
    assert drawn.endswith("half</li></ul>")


def test_the_promise_is_marked_where_columns_come_near_it() -> None:
    def drawn(ms: float) -> str:
        return columns("x", ["a"], [Layer("half", "f1", (ms,))], str, mark=40_000)

    # At two sizes each; the scale of the first ends at 40 seconds, and that of the second at 30.
    assert drawn(39_000).count(">40000 promised</text>") == 2
    assert drawn(39_000).count("stroke-dasharray") == 2
    assert "promised" not in drawn(30_000)
    assert "promised" not in columns("x", ["a"], [Layer("half", "f1", (50_000,))], str)


def test_bars_are_as_long_as_their_amounts() -> None:
    drawn = bars(
        [LabeledBar("a", "10", (BarPart(10),)), LabeledBar("<b>", "5", (BarPart(3), BarPart(2, "f2")))],
        caption="Amounts",
    )

    places = re.findall(r'class="f\d" x="([\d.]+)%" width="([\d.]+)%"', drawn)
    # The parts of a bar are a little apart.
    assert places == [("0.00", "100.00"), ("0.00", "30.00"), ("30.40", "19.60")]
    assert '<caption class="sr">Amounts</caption>' in drawn
    assert '<th scope="row">&lt;b&gt;</th>' in drawn


def test_a_spark_shows_each_failed_hour() -> None:
    drawn = spark([(10, 0), (0, 0), (5, 5)], "one hour with failures")

    assert drawn.count('class="f-bad"') == 2
    assert 'height="12.0"' in drawn
    assert 'aria-label="one hour with failures"' in drawn


def test_scores_are_drawn_in_the_colors_of_the_sheet_at_a_size_of_their_own() -> None:
    """Without a class, so that they need nothing of a page's stylesheet."""
    now = datetime(2026, 11, 16, tzinfo=UTC)
    line = timeline([Dot(now - timedelta(days=30), 50, "50 <then>"), Dot(now, 100, "100 now")])

    assert 'stroke="var(--s1)"' in line
    assert 'points="12.0,45.0 308.0,12.0"' in line
    assert 'aria-label="Scores over time: 50 &lt;then&gt; to 100 now"' in line


def test_readiness_says_how_it_changed_and_when_it_was_worst() -> None:
    picture = PICTURES["readiness"](
        shown(
            Figures(readiness=ready(ms1000=10)),
            Figures(readiness=ready(ms20000=1)),
            Figures(),
            Figures(readiness=ready(ms200=9)),
        )
    )

    assert "Half of 20 options were ready within" in picture.words
    assert "nine of ten fell from 975 ms to 195 ms" in picture.words
    assert "the slowest day was Nov 14, 2026 with 19.5 s" in picture.words
    assert picture.rows[2] == ("Nov 15, 2026", "0", "—", "—")
    assert picture.raw[0] == ("2026-11-13", 10, 0.875, 0.975)
    # Three days at two sizes: the lower part of a column is half of the options, the whole nine of ten.
    assert picture.chart.count('<rect class="f1" x=') == picture.chart.count('<rect class="f2" x=') == 3 * 2


def test_the_funnel_counts_each_step_and_its_share() -> None:
    picture = PICTURES["funnel"](
        shown(Figures(submitted=150, published=120, referred=30), Figures(submitted=50, bound=1))
    )

    assert picture.words.startswith(
        "200 options came in, 30 went to an underwriter first; 120 were published and 1 bound."
    )
    assert picture.rows == (
        ("Submitted", "200", "100%"),
        ("With an underwriter", "30", "15%"),
        ("Published", "120", "60%"),
        ("Bound", "1", "0.5%"),
    )


def test_the_most_frequent_reason_is_named() -> None:
    picture = PICTURES["referrals"](
        shown(Figures(reasons={"red_flags": 1, "limit": 2}), Figures(reasons={"red_flags": 4}))
    )

    assert "2 reasons were given 7 times; the most frequent is red flags with 5 (71%)" in picture.words
    assert picture.raw == (("red_flags", 5), ("limit", 2))


def test_premium_is_added_up_by_month_and_product() -> None:
    days = (date(2026, 10, 31), date(2026, 11, 1))
    picture = PICTURES["premium"](
        Range(
            days,
            (
                DayFigures(days[0], "CYB", Figures(premium=1_000)),
                DayFigures(days[1], "CYB", Figures(premium=500)),
                DayFigures(days[1], "MPL", Figures(premium=4_500)),
            ),
        )
    )

    assert picture.words == "$6,000 has been bound since Oct 2026, 75% of it Professional liability."
    assert picture.raw == (("2026-10", 1_000, 0, 0, 1_000), ("2026-11", 500, 0, 4_500, 5_000))


def test_deliveries_say_how_many_were_late_and_failed() -> None:
    picture = PICTURES["deliveries"](shown(Figures(delivered=990, delivered_late=8), Figures(undelivered=2)))

    assert picture.words == (
        "Of 1,000 deliveries 990 (99%) arrived within a minute of their event, 8 later, "
        "and 2 failed for good (0.2%)."
    )
    # At two sizes, one column of two parts and one of one.
    assert picture.chart.count('class="f-bad" x="') == 2


def test_pictures_fill_two_rows_of_twelve_columns() -> None:
    spans = [PICTURES[key](Range(days_until(TODAY, 7), ())).span for key in PICTURES]

    assert spans == [5, 7, 4, 4, 4]


@pytest.mark.parametrize("key", PICTURES)
def test_a_picture_without_data_says_so(key: str) -> None:
    picture = PICTURES[key](Range(days_until(TODAY, 7), ()))

    assert picture.words.startswith(("No ", "Nothing "))
    assert not picture.has_data
    assert hints(endpoints=0, failing=0)[key].address.startswith("/")


@pytest.mark.parametrize(
    ("endpoints", "failing", "said"),
    [
        (0, 0, "No partner has registered an endpoint."),
        (1, 0, "1 endpoint is registered, none failing."),
        (2, 2, "2 endpoints are registered, 2 failing."),
    ],
)
def test_where_nothing_was_delivered_the_card_says_to_whom_it_could_be(
    endpoints: int, failing: int, said: str
) -> None:
    assert hints(endpoints=endpoints, failing=failing)["deliveries"].text == said


def test_little_is_never_said_to_be_nothing() -> None:
    assert [share(count, 1_000) for count in (0, 1, 10, 995, 1_000)] == ["0%", "0.1%", "1%", "99.5%", "100%"]
    assert share(1, 0) == "—"


def test_the_months_shown_are_six() -> None:
    assert first_month(TODAY) == date(2026, 6, 1)
    assert first_month(date(2026, 3, 31)) == date(2025, 10, 1)
    assert days_until(TODAY, 7)[0] == TODAY - timedelta(days=6)
