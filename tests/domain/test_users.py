"""What is asked of an account, and what of its password."""

import pytest

from bindery.domain.access.users import LONGEST_NAME, LONGEST_PASSWORD, problems_of_password, problems_of_user
from support.tables import each_row

EMAIL = "pat.broker@example.com"


@each_row(
    ("email", "name", "role", "partner", "found"),
    [
        (EMAIL, "Pat", "broker", "Northwind", []),
        (EMAIL, "P" * LONGEST_NAME, "operator", None, []),
        ("pat", "Pat", "operator", None, [("email", "bad_email")]),
        (EMAIL, " ", "operator", None, [("name", "required")]),
        (EMAIL, "P" * (LONGEST_NAME + 1), "operator", None, [("name", "too_long")]),
        (EMAIL, "Pat\u202e", "operator", None, [("name", "bad_character")]),
        (EMAIL, "Pat", "baker", None, [("role", "unknown_role")]),
        (EMAIL, "Pat", "broker", None, [("partner", "required")]),
        (EMAIL, "Pat", "underwriter", "Northwind", [("partner", "unexpected")]),
        ("pat", "", "baker", None, [("email", "bad_email"), ("name", "required"), ("role", "unknown_role")]),
    ],
)
def test_everything_that_is_wrong_with_a_user_is_found(
    email: str, name: str, role: str, partner: str | None, found: list[tuple[str, str]]
) -> None:
    problems = problems_of_user(email, name, role, partner)

    assert [(problem.path, problem.code) for problem in problems] == found


@pytest.mark.parametrize(
    ("password", "found"),
    [
        ("correct horse battery staple", []),
        ("short", ["too_short"]),
        ("correct horse " * LONGEST_PASSWORD, ["too_long"]),
        ("PAT.BROKER and more of it", ["weak_password"]),
        ("abababababababab", ["weak_password"]),
        ("password1234", ["weak_password"]),
        ("P@ssw0rd!2026", ["weak_password"]),
        ("Passwordpassword1", ["weak_password"]),
        ("qwertyuiop123", ["weak_password"]),
        ("1234567890123", ["weak_password"]),
        ("Welcome2Bindery!", ["weak_password"]),
        ("abcdefghijklm", ["weak_password"]),
        ("Winter2026Winter", ["weak_password"]),
        ("1q2w3e4r5t6y7u", ["weak_password"]),
        ("12345678901234567890", ["weak_password"]),
        ("passwordmill", ["weak_password"]),
        ("password mills", []),
        ("837492018473", []),
        ("7#93$21!84%6a", []),
        ("harbor password mill", []),
        ("my summer on Mars", []),
        ("x7#Kq9$Lw2!Zp", []),
        ("zwölf Boxkämpfer", []),
        ("長い合言葉は覚えやすいはず", []),
    ],
)
def test_a_password_is_long_and_not_the_address(password: str, found: list[str]) -> None:
    assert [problem.code for problem in problems_of_password(password, email=EMAIL)] == found
