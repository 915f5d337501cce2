"""The options of a draft as a grid of limits by retentions, for all three products."""

import json

import pytest

from bindery.domain.applicant.risk import OptionAsk
from bindery.domain.drafts.fields import read_fields
from bindery.domain.drafts.option_grid import (
    Cells,
    OptionGrid,
    lay_out_options,
    read_options,
    written_option,
)
from bindery.domain.screening.case import EMPTY_LIST
from support.drafts import TODAY, typed


def option(limit: int, retention: int | None = None, **more: int) -> str:
    terms = {"aggregate_limit": limit, **({"aggregate_retention": retention} if retention else {}), **more}
    return json.dumps(terms, separators=(",", ":"))


def grid(*ticked: str, cells: Cells = Cells.USUAL, **more: str) -> OptionGrid:
    applicant = read_fields(typed(**more), TODAY)[1]
    return lay_out_options(applicant, read_options(ticked), EMPTY_LIST, cells=cells)


def test_the_grid_has_the_usual_limits_and_the_retentions_around_the_usual_one() -> None:
    found = grid()

    assert [limit for limit, _ in found.rows] == [1_000_000, 2_000_000, 3_000_000, 5_000_000]
    assert found.retentions == (2_500, 5_000, 10_000, 15_000, 25_000)
    assert (found.lowest, found.usual) == (2_500, 5_000)
    cell = found.rows[0][1][1]
    assert cell.range is not None
    assert (cell.range.low, cell.range.high) == (2_176, 3_075)
    assert cell.text == '{"aggregate_limit":1000000,"aggregate_retention":5000}'
    assert found.count == 0


@pytest.mark.parametrize(
    ("product", "revenue", "retentions", "lowest"),
    [
        ("CYB", "900,000", (2_500, 5_000, 10_000, 15_000, 25_000), 2_500),
        ("TEO", "30,000,000", (15_000, 25_000, 50_000, 75_000, 100_000), 10_000),
        ("CYB", "4,000,000,000", (250_000, 500_000), 250_000),
        ("MPL", "900,000", (1_500, 2_500, 5_000, 7_500, 10_000), 500),
        ("MPL", "60,000,000", (35_000, 50_000, 75_000, 100_000, 150_000), 25_000),
    ],
)
def test_no_retention_below_the_lowest_is_offered(
    product: str, revenue: str, retentions: tuple[int, ...], lowest: int
) -> None:
    found = grid(policy__insurance_product=product, client__revenue=revenue)

    assert found.retentions == retentions
    assert found.lowest == lowest
    field = "per_claim_retention" if product == "MPL" else "aggregate_retention"
    assert all(getattr(cell.ask, field) == cell.retention for _, cells in found.rows for cell in cells)


def test_all_limits_are_those_of_the_product() -> None:
    found = grid(cells=Cells.ALL)

    assert len(found.rows) == len(found.limits) == 18
    assert {limit for limit, _ in found.rows} == set(found.limits)


def test_what_an_underwriter_decides_is_known_before_it_is_ticked() -> None:
    found = grid(cells=Cells.ALL)

    referred = {
        (limit, cell.retention): [reason.code for reason in cell.reasons]
        for limit, cells in found.rows
        for cell in cells
        if cell.reasons
    }
    assert referred[3_000_000 + 1_000_000, 5_000] == ["limit_above_authority"]
    assert (3_000_000, 5_000) not in referred
    # A retention above a quarter of the limit.
    assert (100_000, 25_000) not in referred
    assert [limit for limit, _ in referred if limit <= 3_000_000] == []
    (far,) = grid(option(100_000, 50_000)).rows[0][1][-1:]
    assert [reason.code for reason in far.reasons] == ["retention_above_share"]


def test_ticked_options_are_found_whatever_their_spelling() -> None:
    spelled = '{"per_claim_limit": 2000000, "aggregate_retention":10000,"aggregate_limit":2000000}'

    found = grid(option(1_000_000), option(500_000, 100_000), spelled)

    ticked = [(cell.ask.aggregate_limit, cell.retention, cell.text) for cell in found.ticked]
    assert ticked == [
        (500_000, 100_000, option(500_000, 100_000)),
        # Without a retention it is the usual one.
        (1_000_000, 5_000, option(1_000_000)),
        (2_000_000, 10_000, spelled),
    ]
    assert 100_000 in found.retentions
    assert found.count == 3
    assert found.others == ()
    assert found.unknown == ()


def test_options_that_say_more_than_a_cell_stand_beside_the_grid() -> None:
    per_claim = option(1_000_000, 5_000, per_claim_limit=500_000)
    below_the_lowest = option(1_000_000, 2_500)

    found = grid(per_claim, below_the_lowest, option(1_000_000), client__revenue="30,000,000")

    first, second = found.others
    assert (first.text, second.text) == (per_claim, below_the_lowest)
    assert first.terms.per_claim_limit == 500_000
    assert second.retention == 10_000
    assert "is the lowest retention" in second.corrections[0]
    assert found.count == 3


def test_two_options_of_one_cell_are_both_kept() -> None:
    found = grid(option(1_000_000), option(1_000_000, 5_000))

    assert found.count == 2
    assert [other.text for other in found.others] == [option(1_000_000)]


@pytest.mark.parametrize(
    "text",
    [
        option(1_234_567),
        option(1_000_000, 7),
        "nonsense",
        "[" * 2_000,
        option(1_000_000, per_claim_limit=2_000_000),
    ],
)
def test_an_option_that_nobody_can_ask_for_is_kept(text: str) -> None:
    found = grid(text, option(1_000_000, 5_000))

    assert [option.text for option in found.unknown] == [text]
    assert found.count == 2
    assert len(found.ticked) == 1


def test_sixteen_options_are_all_kept() -> None:
    many = [option(limit, retention) for limit in (1_000_000, 2_000_000) for retention in RETENTIONS]

    assert grid(*many).count == 16


RETENTIONS = (2_500, 5_000, 10_000, 15_000, 25_000, 50_000, 75_000, 100_000)


def test_ticked_cells_alone_are_priced_as_in_the_whole_grid() -> None:
    ticked = [option(1_000_000, 5_000), option(3_000_000, 2_500), option(1_000_000, per_claim_limit=500_000)]

    assert grid(*ticked, cells=Cells.TICKED).ticked == grid(*ticked).ticked
    assert len(grid(*ticked, cells=Cells.TICKED).ticked) == 3


def test_a_yearly_cap_of_mpl_is_more_than_a_cell_says() -> None:
    capped = '{"aggregate_limit":1000000,"aggregate_retention":25000,"per_claim_retention":5000}'

    found = grid(capped, policy__insurance_product="MPL")

    assert [other.text for other in found.others] == [capped]


def test_cells_have_no_price_while_the_company_is_not_known() -> None:
    assert all(cell.range is None for _, cells in grid(client__revenue="?").rows for cell in cells)


def test_an_option_is_written_as_it_is_read() -> None:
    ask = OptionAsk(1_000_000, per_claim_retention=5_000)

    (read,) = read_options([written_option(ask)])

    assert read.ask == ask
    assert read.text == '{"aggregate_limit":1000000,"per_claim_retention":5000}'
    assert dict(read.amounts) == {"aggregate_limit": 1_000_000, "per_claim_retention": 5_000}
