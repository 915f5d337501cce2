"""The papers for a security review and for operators name what exists; their figures are those measured."""

import re
from collections import Counter
from pathlib import Path

import pytest

from support.source_tree import ROOT

DOCS = ROOT / "docs"
ASVS = (DOCS / "asvs.md").read_text("utf-8")
THREATS = (DOCS / "threat-model.md").read_text("utf-8")
SIZING = (DOCS / "sizing.md").read_text("utf-8")
PERFORMANCE = (DOCS / "performance.md").read_text("utf-8")
ROW = re.compile(r"^\| (\d+)\.(\d+)\.(\d+) \| ([12]) \| (.+?) \| (\S+) \| (.+) \|$", re.MULTILINE)
ROWS = ROW.findall(ASVS)
ANSWERS = ("yes", "partly", "no", "yours", "n/a")
OF_THE_STANDARD = dict(enumerate((27, 11, 19, 10, 9, 35, 18, 7, 7, 29, 14, 9, 13, 9, 13, 16, 7), start=1))
"""How many requirements of levels 1 and 2 each chapter of version 5.0.0 has: 253 of its 345."""
NAMED = re.compile(r"`((?:src|tests|docs|deploy|tools|requirements)/[\w./-]+|SECURITY\.md|pyproject\.toml)`")


def missing_in(text: str) -> set[str]:
    """The paths that are named and not there, and the tests that are named beside a file and not in it."""
    missing = {path for path in NAMED.findall(text) if not (ROOT / path).exists()}
    for path, test in re.findall(r"`(tests/[\w/]+\.py)` \(`(test_\w+)`\)", text):
        if f"def {test}(" not in (ROOT / path).read_text("utf-8"):
            missing.add(f"{path}::{test}")
    return missing


def seconds_of(row: list[str]) -> float:
    """How many submissions a second the busiest minute of a day has."""
    return int(row[0].replace(",", "")) * 0.1 / 3600 * 3


def cells(text: str, first: str) -> list[list[str]]:
    rows = re.findall(rf"^\| ({first}) \|(.*)\|$", text, re.MULTILINE)
    return [[found[0], *(cell.strip() for cell in found[1].split("|"))] for found in rows]


def test_every_requirement_of_both_levels_is_answered_once() -> None:
    numbers = [tuple(map(int, row[:3])) for row in ROWS]

    assert numbers == sorted(set(numbers))
    assert Counter(number[0] for number in numbers) == OF_THE_STANDARD
    assert len(numbers) == 253


@pytest.mark.parametrize("answer", ANSWERS)
def test_the_answers_are_counted_right(answer: str) -> None:
    counted = Counter(row[0] for row in ROWS if row[5] == answer)
    at = 2 + ANSWERS.index(answer)

    listed = {row[0].split()[0].removeprefix("V"): int(row[at]) for row in cells(ASVS, r"(?:V\d+|All)[^|]*")}

    assert {row[5] for row in ROWS} == set(ANSWERS)
    assert listed == {
        **{str(chapter): counted[str(chapter)] for chapter in OF_THE_STANDARD},
        "All": counted.total(),
    }


def test_an_answer_names_what_shows_it_or_says_why_not() -> None:
    for row in ROWS:
        number, answer, why = ".".join(row[:3]), row[5], row[6]
        if answer in {"yes", "partly"}:
            assert NAMED.search(why), number
        else:
            assert len(why) >= 4, number


@pytest.mark.parametrize("page", [ASVS, THREATS], ids=["asvs", "threat-model"])
def test_what_a_paper_names_exists(page: str) -> None:
    assert missing_in(page) == set()
    assert len(NAMED.findall(page)) >= 40


def test_a_seeded_name_of_nothing_is_found() -> None:
    seeded = "`tests/web/test_none.py`, `tests/api/test_tokens.py` (`test_that_is_not_there`)"

    assert missing_in(seeded) == {
        "tests/web/test_none.py",
        "tests/api/test_tokens.py::test_that_is_not_there",
    }


def test_every_threat_names_what_shows_that_it_is_stopped() -> None:
    section = THREATS.split("## Threats, and what stops them\n")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")][1:]

    assert len(rows) >= 25
    for row in rows:
        assert NAMED.search(row.rpartition(" | ")[2]), row


def test_the_sizing_counts_on_half_of_what_was_measured_at_most() -> None:
    measured = re.findall(r"\| `(?:serve|work)`[^|]*\| ([\d,]+) a second \| ([\d,]+) \|", SIZING)

    assert [row[0] for row in measured] == ["461", "2,882", "82"]
    for figure, counted in measured:
        assert re.search(rf"\| 1 \| {figure} \| 1\.00 \|", PERFORMANCE)
        assert int(counted.replace(",", "")) * 2 <= int(figure.replace(",", ""))
    assert "0.2 GB and 14 GB" in PERFORMANCE
    assert "14 GB" in SIZING
    assert re.search(r"entries a second \|[^|]*\| 9,400 \|", PERFORMANCE)


@pytest.mark.parametrize("row", cells(SIZING, r"\d[\d,]*"), ids=lambda row: row[0])
def test_the_table_of_a_day_is_worked_out_from_the_figures(row: list[str]) -> None:
    a_day = int(row[0].replace(",", ""))
    serve, work = int(row[2]), int(row[3])
    quotes = a_day * 5 * 250

    assert float(row[1]) == round(seconds_of(row), 1)
    assert serve * 200 >= seconds_of(row)
    # One of them may have failed, from where there are two.
    assert max(1, work - 1) * 40 >= seconds_of(row)
    assert int(row[6].replace(",", "")) == quotes
    assert float(row[7].replace(",", "")) == pytest.approx(quotes / 1e6 * 14, abs=0.6)


def test_the_papers_are_where_people_look_for_them() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")

    for page in ("SECURITY.md", "docs/kubernetes.md", "docs/upgrading.md", "docs/sizing.md"):
        assert page in readme
    assert "(docs/threat-model.md)" in (ROOT / "SECURITY.md").read_text("utf-8")
    assert Path(ROOT / "SECURITY.md").is_file()
