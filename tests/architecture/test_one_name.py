"""A bound quote whose policy is not issued has one name for people: Binder, due on its last day."""

import re

from support.source_tree import text_files

SPOKEN = re.compile(r"^(?:src/bindery/(?:web|domain|documents|cli)/|docs/platform\.md$)")
"""What speaks to brokers, underwriters and the insured; the contract has the specification's words."""
OTHER_NAMES = re.compile(
    r"\bbound\s+on\s+condition\b|\bconditionally\s+bound\b|\bbound\s+conditionally\b|\bconditional\s+binder|"
    r"\b(?-i:Binder)\s+until\b",
    re.IGNORECASE,
)
"""«Bind on condition until Dec 17» is what a button does, and no status."""


def other_names(text: str) -> list[str]:
    return [" ".join(found[0].split()) for found in OTHER_NAMES.finditer(text)]


def test_pages_mails_and_papers_call_a_binder_nothing_else() -> None:
    spoken = {path: text for path, text in text_files() if SPOKEN.search(path)}

    assert "docs/platform.md" in spoken
    assert "src/bindery/documents/templates/mail.html" in spoken
    assert {path: found for path, text in spoken.items() if (found := other_names(text))} == {}


def test_another_name_of_a_binder_would_be_found() -> None:
    assert other_names("Bound on condition until Dec 17") == ["Bound on condition"]
    assert other_names("is bound\n  conditionally.") == ["bound conditionally"]
    assert other_names("a conditional binder; Binder until") == ["conditional binder", "Binder until"]
    assert other_names("Bind on condition until Dec 17; Binder, due Dec 17; a binder until then") == []
