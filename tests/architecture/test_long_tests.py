"""Modules without a test that is asked for are left out by their text, so the text has to tell."""

import ast
import re

from support.long_tests import has_only_long_tests, may_have_long_tests
from support.source_tree import ROOT

ANOTHER_SPELLING = re.compile(r"(?<!\bpytest\.mark)\.long\b|mark, \"long\"|import mark\b")
MODULES = sorted((ROOT / "tests").rglob("test_*.py"))


def test_the_mark_of_long_tests_is_always_spelled_alike() -> None:
    found = [module for module in MODULES if ANOTHER_SPELLING.search(module.read_text("utf-8"))]

    assert [module.name for module in found if module.name != "test_long_tests.py"] == []


def test_a_module_is_left_out_only_if_its_own_mark_is_that_of_long_tests() -> None:
    left_out = [module for module in MODULES if has_only_long_tests(module)]

    assert left_out
    for module in left_out:
        (mark,) = (
            ast.unparse(node.value)
            for node in ast.parse(module.read_text("utf-8")).body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"
        )
        assert "pytest.mark.long" in mark.strip("[]").split(", ")
        assert may_have_long_tests(module)


def test_a_module_that_takes_long_tests_from_the_support_is_asked_for_them() -> None:
    assert may_have_long_tests(ROOT / "tests" / "browser" / "test_desk_stories.py")
    assert may_have_long_tests(ROOT / "tests" / "browser" / "test_door_stories.py")
    assert not may_have_long_tests(ROOT / "tests" / "base" / "test_ids.py")
