"""A test over a table looks at every row and names each that fails."""

import inspect

import pytest

from support.tables import each_row


def test_every_row_that_fails_is_named_and_the_others_are_run() -> None:
    seen = []

    @each_row(("number", "double"), [(1, 3), (2, 4), (3, 5), (4, 8)])
    def look(number: int, double: int) -> None:
        seen.append(number)
        assert number * 2 == double

    with pytest.raises(BaseExceptionGroup, match="2 of 4 rows failed") as failed:
        look()

    assert seen == [1, 2, 3, 4]
    assert [fault.__notes__ for fault in failed.value.exceptions] == [
        ["row: {'number': 1, 'double': 3}"],
        ["row: {'number': 3, 'double': 5}"],
    ]


def test_a_refusal_that_does_not_come_fails_its_row_alone() -> None:
    @each_row("text", ["1", "x", "2"])
    def refuse(text: str) -> None:
        with pytest.raises(ValueError, match="invalid literal"):
            int(text)

    with pytest.raises(BaseExceptionGroup) as failed:
        refuse()

    assert [fault.__notes__ for fault in failed.value.exceptions] == [
        ["row: {'text': '1'}"],
        ["row: {'text': '2'}"],
    ]


def test_tables_on_top_of_each_other_give_every_pair_and_leave_fixtures() -> None:
    seen = []

    @each_row("letter", "ab")
    @each_row("number", [1, 2])
    def look(letter: str, number: int, fixture: str) -> None:
        seen.append((letter, number, fixture))

    look(fixture="given")

    assert seen == [("a", 1, "given"), ("a", 2, "given"), ("b", 1, "given"), ("b", 2, "given")]
    assert list(inspect.signature(look).parameters) == ["fixture"]


def test_a_table_without_rows_is_refused() -> None:
    with pytest.raises(AssertionError, match="without rows"):
        each_row("number", [])
