"""What a form that waits for a sign-in is called, and what is said of its fields."""

import uuid

import pytest

from bindery.web.account.kept_words import FORMS, LONGEST, label_of, typed_in_words
from bindery.web.account.signing_in import KeptForm
from bindery.web.frame.route import ANYONE
from bindery.web.pages import EVERYWHERE


def test_every_form_of_a_user_has_a_name_and_nothing_else_has() -> None:
    forms = {row.path for row in EVERYWHERE if row.post is not None and row.who is not ANYONE}

    assert set(FORMS) == forms


def test_fields_are_said_as_their_pages_say_them_and_what_a_page_adds_is_left_out() -> None:
    quote = str(uuid.uuid4())
    sent = [
        ("effective", "2026-12-01"),
        ("first_name", "Ottoline"),
        ("cell_phone", ""),
        ("app_attestation", "same"),
        ("app_attestation", "signed"),
        ("policy.insurance_product", "CYB"),
        ("questions.Q2300", "true"),
        ("contingency_id", "12"),
        ("shown_premium", "2150"),
        (f"premium-{quote}", "2000"),
        ("quote", quote),
        ("step", "bind"),
        ("note", "a" * (LONGEST + 1)),
    ]

    assert typed_in_words(sent) == (
        ("Effective date", "Dec 1, 2026"),
        ("First name", "Ottoline"),
        ("Your statements", "Same, Signed"),
        ("Insurance product", "Cyber"),
        (label_of("questions.Q2300"), "Yes"),
        ("Premium", "2000"),
        ("Note", "a" * LONGEST + "…"),
    )
    assert label_of("questions.Q2300").endswith("?")


@pytest.mark.parametrize("name", ["password", "current", "code"])
def test_secrets_are_no_fields_of_a_kept_form(name: str) -> None:
    kept = KeptForm(to="/account/password", roles="broker", text=f"{name}=hidden&first_name=Ann")

    assert kept.fields == (("first_name", "Ann"),)
