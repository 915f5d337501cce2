"""The page of components shows the parts that pages are really made of."""

import re
from decimal import Decimal

from tools.gallery.components import PRICES, components_page

PARTS = {
    "worksheet table": r'<section class="card" id="worksheet"(?s:.*?)<caption>Cyber</caption>',
    "changed line of a worksheet": r'<tr class=" changed">',
    "what a factor is made of": r'<details class="hint"><summary>1 part</summary>',
    "taxes and total": r"<caption>Taxes, fees and total</caption>",
    "live notice": r'<p class="news">3 changed · <a ',
    "stacked bars": r'<rect class="f1"[^>]*/?>(?s:.*?)<rect class="f2"',
    "columns": r'aria-labelledby="tried-title',
    "timeline": r'class="timeline"',
}


def test_every_part_of_a_page_can_be_looked_at() -> None:
    page = components_page()

    assert [name for name, pattern in PARTS.items() if not re.search(pattern, page)] == []


def test_the_invented_worksheet_adds_up() -> None:
    assert PRICES.worksheet is not None
    assert PRICES.charges is not None
    paid = [PRICES.charges.premium, *(amount for _, amount in PRICES.charges.lines)]
    *parts, total = (
        Decimal(text.replace("$", "").replace(",", "")) for text in (*paid, PRICES.charges.total)
    )

    assert sum(parts) == total
    assert PRICES.charges.premium == f"{PRICES.worksheet.premium}.00"
    assert PRICES.worksheet.amount == "$3,273.85"
    assert "compared with" not in PRICES.worksheet.sentence
