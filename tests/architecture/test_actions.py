"""A file of actions is named for its main verb; its other verbs belong to the same idea."""

import ast

from support.source_tree import python_sources

SEVERAL_VERBS = {
    "purge": "four tables are purged by the clock, all in the same batches",
}


def public_functions(source: str) -> list[str]:
    return [
        node.name
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_")
    ]


def actions() -> dict[str, list[str]]:
    """Return the public functions of each file of `actions/`."""
    return {
        path.rsplit("/", maxsplit=1)[-1].removesuffix(".py"): public_functions(source)
        for path, source in python_sources().items()
        if path.startswith("actions/") and not path.endswith("__init__.py")
    }


def test_a_file_of_actions_has_the_function_of_its_name() -> None:
    without = {name: found for name, found in actions().items() if name not in found}

    assert {name: found for name, found in without.items() if name not in SEVERAL_VERBS} == {}
    assert set(without) == set(SEVERAL_VERBS), "an exception that is no longer needed"


def test_the_files_with_several_verbs_have_the_verb_of_their_name() -> None:
    for name in SEVERAL_VERBS:
        verb = name.split("_", maxsplit=1)[0]
        assert all(function.startswith(f"{verb}_") for function in actions()[name]), name
