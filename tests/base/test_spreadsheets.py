import csv
import io
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from bindery.base.spreadsheets import csv_line

CELLS = st.one_of(st.text(st.sampled_from("a ,\"\r\n;'é"), max_size=6), st.integers(), st.decimals())


@given(st.lists(CELLS, min_size=2, max_size=5))
def test_a_line_is_what_the_csv_module_writes(cells: list[str | int | Decimal]) -> None:
    file = io.StringIO(newline="")
    csv.writer(file).writerow(cells)

    assert csv_line(cells) == file.getvalue()
