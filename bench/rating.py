"""Rating one option, worksheet included."""

import timeit
from datetime import date
from functools import partial

from rich.console import Console
from rich.table import Table

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import Answers, Risk, Term, Terms
from bindery.domain.rating.option import rate
from bindery.domain.rating.tariff import tariff_in_force

GOAL_US = 150
ANSWERS = Answers({"2300": True, "2301": True, "2142": True, "2159": False, "2146": False, "2314": 35})


def main() -> None:
    tariff = tariff_in_force(date(2026, 11, 15))
    table = Table("product", "µs an option", "goal", box=None)
    for product in InsuranceProduct:
        risk = Risk(
            product=product,
            revenue=2_345_678,
            state="PA",
            industry="541611",
            answers=ANSWERS,
            term=Term(date(2026, 12, 1), date(2027, 12, 1)),
            scan_score=95,
        )
        terms = Terms(1_000_000, 1_000_000, 2_500, 2_500)
        timer = timeit.Timer(partial(rate, tariff, risk, terms, hazard_group=3))
        loops = 2_000
        best = min(timer.repeat(5, loops)) / loops * 1e6
        table.add_row(product, f"{best:.0f}", f"under {GOAL_US}")
    Console().print(table)
