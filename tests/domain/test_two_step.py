"""Codes of an authenticator app, against the vectors of RFC 6238, and recovery codes."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, unquote, urlsplit

from bindery.domain.access.two_step import (
    APP_NAME,
    RECOVERY_CODES,
    SECRET_BYTES,
    app_address,
    as_typed,
    code_of,
    hash_of_recovery_code,
    in_groups,
    in_letters,
    is_app_code,
    new_recovery_codes,
    new_secret,
    step_of,
    step_of_code,
)
from support.tables import each_row

SECRET = b"12345678901234567890"
"""That of the vectors in appendix B of RFC 6238."""
NOW = datetime(2026, 11, 18, 12, 0, 10, tzinfo=UTC)


@each_row(
    ("seconds", "code"),
    [
        (59, "94287082"),
        (1111111109, "07081804"),
        (1111111111, "14050471"),
        (1234567890, "89005924"),
        (2000000000, "69279037"),
        (20000000000, "65353130"),
    ],
)
def test_codes_are_those_of_the_standard(seconds: int, code: str) -> None:
    step = step_of(datetime.fromtimestamp(seconds, UTC))

    assert code_of(SECRET, step, digits=8) == code
    assert code_of(SECRET, step) == code[-6:]


@each_row(("around", "is_taken"), [(-2, False), (-1, True), (0, True), (1, True), (2, False)])
def test_the_step_before_and_the_step_after_count_and_no_others(around: int, is_taken: bool) -> None:
    step = step_of(NOW) + around

    found = step_of_code(SECRET, code_of(SECRET, step), at=NOW, after=0)

    assert found == (step if is_taken else None)


def test_a_step_begins_on_its_second() -> None:
    begins = datetime(2026, 11, 18, 12, 0, 0, tzinfo=UTC)

    assert step_of(begins) == step_of(begins + timedelta(seconds=29.9))
    assert step_of(begins - timedelta(seconds=0.1)) == step_of(begins) - 1


@each_row(("after", "is_taken"), [(-1, True), (0, False), (1, False)])
def test_no_code_of_a_step_that_was_used_or_of_an_earlier_one_is_taken(after: int, is_taken: bool) -> None:
    step = step_of(NOW)

    found = step_of_code(SECRET, code_of(SECRET, step), at=NOW, after=step + after)

    assert found == (step if is_taken else None)


@each_row("typed", ["", "12345", "1234567", "abcdef", "\uff11\uff12\uff13\uff14\uff15\uff16", "\ud800"])
def test_what_is_no_code_matches_nothing(typed: str) -> None:
    assert step_of_code(SECRET, typed, at=NOW, after=0) is None


@each_row(
    ("typed", "is_code"),
    [("123456", True), ("12345", False), ("1234567", False), ("\uff11\uff12\uff13\uff14\uff15\uff16", False)],
)
def test_six_digits_are_a_code_of_the_app(typed: str, is_code: bool) -> None:
    assert is_app_code(typed) is is_code


def test_the_address_for_the_app_names_account_and_issuer() -> None:
    address = urlsplit(app_address(SECRET, "ann+desk@example.com"))

    assert (address.scheme, address.netloc) == ("otpauth", "totp")
    assert unquote(address.path) == f"/{APP_NAME}:ann+desk@example.com"
    assert parse_qs(address.query) == {"secret": ["GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"], "issuer": [APP_NAME]}
    assert in_groups(in_letters(SECRET)) == "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ"


def test_secrets_and_recovery_codes_are_random_and_readable() -> None:
    codes = new_recovery_codes()

    assert len(new_secret()) == SECRET_BYTES
    assert new_secret() != new_secret()
    assert len(set(codes)) == RECOVERY_CODES
    assert all(re.fullmatch(r"(?:[a-z2-7]{4}-){3}[a-z2-7]{4}", code) for code in codes)


def test_a_recovery_code_may_be_typed_with_spaces_and_capitals() -> None:
    (code, *_) = new_recovery_codes()

    assert hash_of_recovery_code(as_typed(f" {code.upper().replace('-', ' ')} ")) == hash_of_recovery_code(
        as_typed(code)
    )
