"""The signature says what a function may do: nobody has a transaction and the outside world in hand."""

import ast

from support.source_tree import functions_in, python_sources

DATABASE = {"Tx", "Reader"}
OUTSIDE = {"Runtime", "Blobs", "Presses", "Scanner", "Postman", "PaperReader", "Database"}


def handles_of(source: str) -> dict[str, set[str]]:
    """Return the named types among the parameters of each function."""
    return {
        function.name: {
            node.id
            for argument in (*function.args.args, *function.args.kwonlyargs)
            if argument.annotation is not None
            for node in ast.walk(argument.annotation)
            if isinstance(node, ast.Name)
        }
        for function in functions_in(ast.parse(source))
    }


def with_both(source: str) -> set[str]:
    return {name for name, types in handles_of(source).items() if types & DATABASE and types & OUTSIDE}


def test_no_function_has_a_transaction_and_the_outside_world_in_hand() -> None:
    found = {f"{path}: {name}" for path, source in python_sources().items() for name in with_both(source)}

    assert found == set()


def test_a_seeded_function_with_both_is_found() -> None:
    assert with_both("async def bind(runtime: Runtime, tx: Tx) -> None: ...") == {"bind"}
    assert with_both("async def read(tx: Reader, *, blobs: Blobs | None) -> None: ...") == {"read"}
    assert with_both("async def bind(tx: Tx, practice: Practice) -> None: ...") == set()


def test_only_the_start_of_a_process_asks_whether_this_is_the_demo() -> None:
    rooms = ("actions/", "storage/", "domain/", "worker/", "documents/")
    asking = {path for path, source in python_sources().items() if "is_demo" in source}

    assert {path for path in asking if path.startswith(rooms)} == set()
