"""Every part that pages are made of on one page, with invented values."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from markupsafe import Markup

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.rating.worksheet import ONE, Factor, Part, Worksheet, WorksheetStep
from bindery.web.bind.bind_problems import FieldProblem
from bindery.web.case.prices import PricedOption, ShownCharges, ShownPrices
from bindery.web.case.reasons_shown import DECLINE_ADVISED, SEVERE, TO_LOOK_AT
from bindery.web.case.sure import STEPS
from bindery.web.charts.bars import Bar, BarPart, LabeledBar, bars, spark, waterfall
from bindery.web.charts.plot import Layer, columns, legend
from bindery.web.charts.scores import Dot, dial, timeline
from bindery.web.frame.paging import Pager
from bindery.web.frame.render import TEMPLATES, PageFrame
from bindery.web.frame.static_files import address_of
from bindery.web.ops.dashboard_shown import TONES, whole_number
from bindery.web.shown.comparison import Cell
from bindery.web.shown.words import PRODUCTS, STATUS_WORDS, Times
from bindery.web.shown.worksheet import shown_worksheet

LABELS: Final = ("Base premium", "Retention", "Scan")


def _part(title: str, factors: Sequence[str], *reasons: str) -> Part:
    running, steps = ONE, []
    for label, factor, reason in zip(LABELS, map(Decimal, factors), reasons, strict=False):
        running *= factor
        made_of = (Factor("Answers", "as given", factor),) if label == "Scan" else ()
        steps.append(WorksheetStep(label, reason, factor, running, made_of))
    return Part(title, Decimal(0), tuple(steps))


BARS: Final = (
    Bar("Base premium", "$1,850", 0, 1850, is_total=True),
    Bar("Retention", "\u2212$93", 1850, 1757),
    Bar("Scan", "+$286", 1757, 2043),
    Bar("Premium", "$2,043", 0, 2043, is_total=True),
)
ADDRESS: Final = "components.html"
NOW: Final = datetime(2026, 11, 15, 15, 30, tzinfo=UTC)
TEMPLATE: Final = Path(__file__).with_name("components.html")
FUNNEL: Final = (
    LabeledBar("submitted", "12,480 · 100%", (BarPart(12_480),)),
    LabeledBar("published", "9,672 · 78%", (BarPart(9_672),)),
    LabeledBar("bound", "3,744 · 30%", (BarPart(3_744),)),
)
DAYS: Final = ("Nov 10", "Nov 11", "Nov 12", "Nov 13")
READY: Final = (Layer("half", "f1", (0.4, 0.5, 0, 0.4)), Layer("nine of ten", "f2", (0.4, 0.6, 0, 0.5)))
TRIES: Final = ((3, 0), (5, 1), (0, 4), (6, 0))
RAISED: Final = Cell(
    "$10,000", differs=True, corrections=("$10,000 is the lowest retention; $5,000 was asked for",)
)
MONTHS: Final = (
    LabeledBar("October", "$41,200", (BarPart(28_000), BarPart(9_200, "f2"), BarPart(4_000, "f3"))),
    LabeledBar("November", "$19,500", (BarPart(12_500), BarPart(7_000, "f2"))),
)
DELIVERED: Final = (
    Layer("within a minute", "f1", (8, 6, 3, 7)),
    Layer("later", "f-warn", (0, 1, 2, 0)),
    Layer("failed", "f-bad", (0, 0, 2, 0)),
)
SCORES: Final = ((90, 44), (60, 51), (30, 51), (0, 78))
"""How many days ago a domain was scanned, and how it fared."""
PRICES: Final = ShownPrices(
    number=1,
    worksheet=shown_worksheet(
        Worksheet(
            product=InsuranceProduct.TEO,
            tariff_edition="2026.1",
            tariff_fingerprint="",
            parts=(
                _part("Cyber", ("1850", "0.95", "1.18"), "Revenue of $2,500,000", "$5,000", "Score of 51"),
                _part("Technology E&O", ("1200", "1"), "Revenue of $2,500,000", "$5,000"),
            ),
            minimum=700,
            premium=3_274,
        ),
        premium=3_274,
    ),
    by_hand=None,
    charges=ShownCharges(
        "$3,274.00", (("Surplus lines tax, 3 %", "$98.22"), ("Stamping fee", "$20.00")), "$3,392.22"
    ),
    options=(
        PricedOption("1", 1, "$3,274", "3274", "With an underwriter", may_be_picked=True, is_picked=True),
        PricedOption("2", 2, "$4,105", "4105", "With an underwriter", may_be_picked=True, is_picked=False),
    ),
    problems=(),
)
CHANGED: Final = frozenset({("Cyber", "Retention")})
PROBLEMS: Final = (FieldProblem("effective", "First day", "must not be more than 30 days ahead"),)


def write_components(folder: Path) -> None:
    page = components_page()
    for file in files("bindery.web").joinpath("static").iterdir():
        address = address_of(file.name)
        copy = folder / address.lstrip("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())
        page = page.replace(f'"{address}"', f'"{address.lstrip("/")}"')
    (folder / ADDRESS).write_text(page, "utf-8")


def components_page() -> str:
    times = Times(ZoneInfo("America/New_York"), NOW)
    return TEMPLATES.from_string(TEMPLATE.read_text("utf-8")).render(
        frame=PageFrame("Olga Operator", "operator", "system", (), "", is_demo=True, query=""),
        words=tuple(dict.fromkeys(STATUS_WORDS.values())),
        bars=waterfall(BARS),
        funnel=bars(FUNNEL),
        ready=columns("ready", DAYS, READY, lambda value: f"{value:g} s"),
        stacked=Markup("{}{}").format(bars(MONTHS), legend([*zip(PRODUCTS.values(), TONES, strict=False)])),
        tried=columns("tried", DAYS, DELIVERED, whole_number),
        scans=timeline([Dot(NOW - timedelta(days=days), score, f"{score} of 100") for days, score in SCORES]),
        prices=PRICES,
        changed=CHANGED,
        to_option=f"{ADDRESS}?option=",
        tries=spark(TRIES, "14 of 19 tries succeeded."),
        gravities=(DECLINE_ADVISED, SEVERE, TO_LOOK_AT),
        raised=RAISED,
        pager=Pager(ADDRESS, ADDRESS),
        dials=tuple(dial(score) for score in (0, 51, 100)),
        problems=PROBLEMS,
        at=times.at(NOW),
        since=times.since(NOW - timedelta(hours=3)),
        late=times.until(NOW - timedelta(hours=2)),
        step=STEPS["cancel"],
    )
