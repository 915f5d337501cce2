"""The signature says what a function may do: nobody has a transaction and the outside world in hand."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeGuard

import pytest
from tools.source_reading import parsed

from support.source_tree import functions_in, nodes_in, python_sources

DATABASE = {"Tx", "Reader"}
OUTSIDE = {
    *("Runtime", "Blobs", "Presses", "Scanner", "Postman", "UploadReader", "Passwords", "Database"),
    # These carry the runtime.
    *("Visit", "Call"),
}
HOLDS_A_CONNECTION = {"transaction", "reading", "autocommit", "connection"}
PARTS = {
    *("blobs", "passwords", "scanner", "postman", "upload_reader", "presses", "session", "http"),
    # Somebody else decides how long these take.
    *("waiting_room", "live_room", "upload_turns", "document_turns"),
}
CARRIERS = {"runtime", "visit", "call", "database"}
"""Whoever gets one of these can call the outside, or take a second connection while holding the first."""
Name = tuple[str, str]
"""A function by its module and its name there, a method as `Class.method`."""


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
    call = _waited_call(node)
    if call is None:
        return False
    given = (ast.unparse(value) for value in (*call.args, *(word.value for word in call.keywords)))
    last = {value.rpartition(".")[2] for value in given}
    return bool((_words_of(call) | {word.removeprefix("_") for word in last}) & (CARRIERS | PARTS))


def _waited_call(node: ast.AST) -> ast.Call | None:
    match node:
        case ast.Await(value=ast.Call() as call) | ast.withitem(context_expr=ast.Call() as call):
            return call
        case _:
            return None


def _words_of(call: ast.Call) -> set[str]:
    return {word.removeprefix("_") for word in ast.unparse(call.func).split(".")}


def nested(sources: Mapping[str, str]) -> list[str]:
    """Return the functions that are waited for while a connection is held, and that take another one.

    A function takes one by itself, or by calling another that does. Names are followed through the imports
    and through `self`; a method of another object is known only by the attribute that it hangs on.
    """
    calls, taking, held = {}, set(), []
    for path, source in sources.items():
        module, tree = path.removesuffix(".py").removesuffix("/__init__").replace("/", "."), parsed(source)
        imported = _imports_of(tree)
        for name, function in _named_functions(tree):
            blocks = [
                node
                for node in nodes_in(function)
                if isinstance(node, ast.AsyncWith) and any(map(_holds_a_connection, node.items))
            ]
            if blocks:
                taking.add((module, name))
            calls[module, name] = _called_in([function], module, name, imported)
            inside = [statement for block in blocks for statement in block.body]
            held.append((path, _called_in(inside, module, name, imported)))
    while found := {name for name, called in calls.items() if called & taking} - taking:
        taking |= found
    return sorted(f"{path}: {name}" for path, called in held for _, name in called & taking)


def _imports_of(tree: ast.Module) -> dict[str, str]:
    return {
        alias.asname or alias.name: f"{node.module.removeprefix('bindery').removeprefix('.')}.{alias.name}"
        for node in nodes_in(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("bindery")
        for alias in node.names
    }


def _named_functions(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{function.name}", function) for function in functions_in(node))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, node


def _called_in(inside: Iterable[ast.AST], module: str, caller: str, imported: Mapping[str, str]) -> set[Name]:
    called = set()
    for node in (inner for part in inside for inner in nodes_in(part)):
        call = _waited_call(node)
        match call and call.func:
            case ast.Attribute(value=ast.Name(id="self"), attr=method):
                called.add((module, f"{caller.partition('.')[0]}.{method}"))
            case ast.Name(id=name):
                home, _, original = imported.get(name, f"{module}.{name}").rpartition(".")
                called.add((home, original))
            case ast.Attribute(value=ast.Name(id=room), attr=name) if room in imported:
                called.add((imported[room], name))
            case _:
                pass
    return called


HANDED_ALONE = {"database", "rules", "clock", "settings", "secret"}
"""Parts of the runtime that a function takes by themselves, so that its signature says what it does."""


def needless_runtimes(sources: Mapping[str, str]) -> list[str]:
    """Return the functions and classes that take the runtime for parts that can be handed alone.

    Taking it is right for one that uses another part, and for one that passes it on to one that does.
    """
    passed_on: dict[Name, set[Name]] = {}
    using = set()
    for path, source in sources.items():
        module, tree = path.removesuffix(".py").replace("/", "."), parsed(source)
        imported = _imports_of(tree)
        for taker in tree.body:
            if not _takes_the_runtime(taker):
                continue
            called = passed_on[module, taker.name] = set()
            for node in ast.walk(taker):
                match node:
                    case ast.Attribute(value=value, attr=part) if _is_runtime(value):
                        if part not in HANDED_ALONE:
                            using.add((module, taker.name))
                    case ast.Call(func=func, args=given) if any(map(_is_runtime, given)):
                        # Also `partial(action, runtime)`.
                        for name in (other.id for other in (func, *given) if isinstance(other, ast.Name)):
                            home, _, original = imported.get(name, f"{module}.{name}").rpartition(".")
                            called.add((home, original))
    while found := {taker for taker, called in passed_on.items() if called & using} - using:
        using |= found
    return sorted(f"{module}: {name}" for module, name in set(passed_on) - using)


def _takes_the_runtime(
    node: ast.stmt,
) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and any(
        argument.arg == "runtime"
        for function in functions_in(node)
        for argument in (*function.args.args, *function.args.kwonlyargs)
    )


def _is_runtime(node: ast.AST) -> bool:
    match node:
        case ast.Name(id="runtime") | ast.Attribute(value=ast.Name(id="self"), attr="_runtime"):
            return True
        case _:
            return False


def test_an_action_takes_the_runtime_for_the_outside_only() -> None:
    actions = {path: source for path, source in python_sources().items() if path.startswith("actions/")}

    assert needless_runtimes(actions) == []


PLAIN = "async def count(runtime, n):\n async with runtime.database.reading() as tx:\n  pass\n"
KEEPING = "class A:\n def __init__(self, runtime):\n  self._runtime = runtime\n"
SCANNING = "async def scan(runtime):\n await runtime.scanner.scan()\n"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (PLAIN, ["actions.a: count"]),
        (SCANNING, []),
        (
            f"{PLAIN}async def ask(runtime):\n await count(runtime, 1)\n",
            ["actions.a: ask", "actions.a: count"],
        ),
        ("from bindery.actions.b import scan\nasync def ask(runtime):\n await scan(runtime)\n", []),
        ("from bindery.actions.b import scan\ndef ask(runtime):\n return partial(scan, runtime)\n", []),
        (KEEPING, ["actions.a: A"]),
        (f"{KEEPING} async def put(self):\n  await self._runtime.blobs.put(b'')\n", []),
    ],
)
def test_a_seeded_runtime_that_nothing_needs_is_found(source: str, found: list[str]) -> None:
    assert needless_runtimes({"actions/a.py": source, "actions/b.py": SCANNING}) == found


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
        "await visit.runtime.presence.come(user, submission_id)",
        "await is_ready(runtime.database)",
        "await wait_until_ready(database)",
        "await self._database.now()",
        "await use(self._runtime)",
        "await visit.form()",
    ],
)
@pytest.mark.parametrize("how", sorted(HOLDS_A_CONNECTION))
def test_a_seeded_call_to_the_outside_is_found(call: str, how: str) -> None:
    inside = f"async def seeded():\n async with runtime.database.{how}() as tx:\n  if tx:\n   {call}"
    outside = f"async def seeded():\n async with runtime.database.{how}() as tx:\n  pass\n {call}"

    assert waited_for(inside) == [call]
    assert waited_for(outside) == []


@pytest.mark.parametrize("how", sorted(HOLDS_A_CONNECTION))
def test_a_seeded_second_connection_is_found(how: str) -> None:
    second = f"self._database.{how}()"

    assert waited_for(
        f"async def seeded():\n async with database.transaction():\n  async with {second}:\n   pass"
    ) == [second]


SECOND = "async def count():\n async with pool.connection() as c:\n  await c.fetch()\n"
"""A function that takes a connection, and that no argument gives away."""


@pytest.mark.parametrize(
    ("imports", "call"),
    [
        ("from bindery.storage.second import count", "await count()"),
        ("from bindery.storage.second import count as n", "await n()"),
        ("from bindery.storage import second", "await second.count()"),
        ("from bindery.actions.third import ask", "await ask(1)"),
    ],
)
def test_a_seeded_helper_that_takes_a_second_connection_is_found(imports: str, call: str) -> None:
    through = "from bindery.storage import second\nasync def ask(n):\n return await second.count()"
    first = f"{imports}\nasync def seeded():\n async with a.reading() as tx:\n  {call}"
    others = {"storage/second.py": SECOND, "actions/third.py": through}

    assert len(nested({"web/first.py": first, **others})) == 1
    assert nested({"web/first.py": first.replace("  await", "  pass\n await"), **others}) == []


def test_a_seeded_method_that_takes_a_second_connection_is_found() -> None:
    method = " async def look(self):\n  async with self.pool.reading() as tx:\n   await self.count()\n"
    taking = SECOND.replace("\n", "\n ").replace("count()", "count(self)")

    assert nested({"storage/a.py": f"class Room:\n{method} {taking}"}) == ["storage/a.py: Room.count"]
    assert nested({"storage/a.py": f"class Room:\n{method}\n async def count(self): ..."}) == []


def test_nobody_takes_a_second_connection_while_one_is_held() -> None:
    assert nested(python_sources()) == []


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
    assert with_both("async def bind(tx: Tx, rules: BusinessRules) -> None: ...") == set()


def test_only_the_start_of_a_process_asks_whether_this_is_the_demo() -> None:
    rooms = ("actions/", "storage/", "domain/", "worker/", "documents/")
    asking = {path for path, source in python_sources().items() if "is_demo" in source}

    assert {path for path in asking if path.startswith(rooms)} == set()


def test_actions_know_the_zone_from_the_rules_or_their_transaction() -> None:
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
