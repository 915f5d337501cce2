import pytest

from bindery.base.numbers import ENDLESS, read_digits


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("7", 7),
        ("007", 7),
        ("9" * 18, 10**18 - 1),
        ("1" + "0" * 18, ENDLESS),
        ("9" * 5_000, ENDLESS),
        ("0" * 5_000 + "42", 42),
        ("0" * 5_000, 0),
    ],
)
def test_digits_are_read_however_many_there_are(text: str, number: int) -> None:
    assert read_digits(text) == number


@pytest.mark.parametrize(
    "text", ["", " ", "-1", "+1", "1.0", "1e3", "1_000", " 7", "7 ", "²", "\u0667", "x", "0x7"]
)
def test_anything_else_is_no_number(text: str) -> None:
    assert read_digits(text) is None
