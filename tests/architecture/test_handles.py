"""The signature says what a function may do: nobody has a transaction and the outside world in hand."""

import ast

import pytest

from support.source_tree import functions_in, nodes_in, parsed, python_sources

DATABASE = {"Tx", "Reader"}
OUTSIDE = {
    *("Runtime", "Blobs", "Presses", "Scanner", "Postman", "PaperReader", "Passwords", "Database"),
    # These carry the runtime.
    *("Visit", "Call"),
}
HOLDS_A_CONNECTION = {"transaction", "reading", "autocommit", "connection"}
PARTS = {
    *("blobs", "passwords", "scanner", "postman", "paper_reader", "presses", "session", "http"),
    # Somebody else decides how long these take.
    *("waiting_room", "live_room", "upload_turns", "document_turns"),
}
CARRIERS = {"runtime", "visit", "call"}
"""Whoever gets one of these can call the outside, or take a second connection while holding the first."""


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
        for function in functions_in(parsed(source))
    }


def with_both(source: str) -> set[str]:
    return {name for name, types in handles_of(source).items() if types & DATABASE and types & OUTSIDE}


def waited_for(source: str) -> list[str]:
    """Return what is waited for of the outside world, or with it in hand, while a connection is held."""
    held = [
        statement
        for node in nodes_in(parsed(source))
        if isinstance(node, ast.AsyncWith) and any(map(_holds_a_connection, node.items))
        for statement in node.body
    ]
    found = (inner for statement in held for inner in ast.walk(statement) if _reaches_outside(inner))
    return sorted({ast.unparse(inner) for inner in found})


def _holds_a_connection(item: ast.withitem) -> bool:
    match item.context_expr:
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in HOLDS_A_CONNECTION
        case _:
            return False


def _reaches_outside(node: ast.AST) -> bool:
    match node:
        case ast.Await(value=ast.Call() as call) | ast.withitem(context_expr=ast.Call() as call):
            names = {part for part in ast.unparse(call.func).split(".") if part in PARTS}
            given = {ast.unparse(value) for value in (*call.args, *(word.value for word in call.keywords))}
            return bool(names) or any(value.rpartition(".")[2] in CARRIERS | PARTS for value in given)
        case _:
            return False


def test_no_function_has_a_transaction_and_the_outside_world_in_hand() -> None:
    found = {f"{path}: {name}" for path, source in python_sources().items() for name in with_both(source)}

    assert found == set()


def test_nothing_outside_is_waited_for_while_a_connection_is_held() -> None:
    found = {path: waited_for(source) for path, source in python_sources().items()}

    assert {path: calls for path, calls in found.items() if calls} == {}


@pytest.mark.parametrize(
    "call",
    [
        "await runtime.blobs.put(content)",
        "await visit.runtime.passwords.check(given, kept)",
        "await scan(runtime.scanner, domain)",
        "await send_mail(runtime, mail_id)",
        "await find_quote(tx, visit=visit)",
        "await session.post(url)",
    ],
)
@pytest.mark.parametrize("how", sorted(HOLDS_A_CONNECTION))
def test_a_seeded_call_to_the_outside_is_found(call: str, how: str) -> None:
    inside = f"async def seeded():\n async with runtime.database.{how}() as tx:\n  if tx:\n   {call}"
    outside = f"async def seeded():\n async with runtime.database.{how}() as tx:\n  pass\n {call}"

    assert waited_for(inside) == [call]
    assert waited_for(outside) == []


def test_a_seeded_turn_that_is_waited_for_is_found() -> None:
    turn = "runtime.upload_turns.turn(partner)"

    assert waited_for(
        f"async def seeded():\n async with database.transaction():\n  async with {turn}:\n   pass"
    ) == [turn]


def test_what_the_database_itself_does_is_no_call_to_the_outside() -> None:
    assert waited_for("async def seeded():\n async with db.transaction() as tx:\n  await save(tx, a)") == []


def test_a_seeded_function_with_both_is_found() -> None:
    assert with_both("async def show(tx: Reader, visit: Visit) -> None: ...") == {"show"}
    assert with_both("async def show(call: Call, tx: Reader) -> None: ...") == {"show"}
    assert with_both("async def bind(runtime: Runtime, tx: Tx) -> None: ...") == {"bind"}
    assert with_both("async def read(tx: Reader, *, blobs: Blobs | None) -> None: ...") == {"read"}
    assert with_both("async def bind(tx: Tx, practice: Practice) -> None: ...") == set()


def test_only_the_start_of_a_process_asks_whether_this_is_the_demo() -> None:
    rooms = ("actions/", "storage/", "domain/", "worker/", "documents/")
    asking = {path for path, source in python_sources().items() if "is_demo" in source}

    assert {path for path in asking if path.startswith(rooms)} == set()


def test_actions_know_the_zone_from_the_practice_or_their_transaction() -> None:
    rooms = ("actions/", "storage/", "domain/", "worker/", "documents/")
    asking = {path for path, source in python_sources().items() if "settings.zone" in source}

    assert asking
    assert {path for path in asking if path.startswith(rooms)} == set()


WRITING = {"transaction", "autocommit"}
DOORS = ("api/", "web/")


def writers_in(source: str) -> list[str]:
    """Return what opens something to write with."""
    return [
        node.func.attr
        for node in nodes_in(parsed(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in WRITING
    ]


def test_whoever_writes_in_a_route_or_a_view_is_found() -> None:
    assert writers_in("async with visit.runtime.database.transaction() as tx: pass") == ["transaction"]
    assert writers_in("async with visit.runtime.database.reading() as tx: pass") == []


def test_routes_and_views_change_things_by_actions_only() -> None:
    writing = {
        name: found
        for name, source in python_sources().items()
        if name.startswith(DOORS) and (found := writers_in(source))
    }

    assert writing == {}
