"""A status changes through `actions/quote/advance_quote` alone: no other code writes it or saves a quote."""

import ast
import re
from collections.abc import Iterator, Mapping

import pytest

from support.source_tree import PACKAGE, functions_in, nodes_in, parsed, python_sources, texts_in

STATUS_WRITERS = {("storage/quote/quotes.py", "save"), ("storage/submission/intake.py", "")}
"""Where SQL may write a status: the save that the door uses, and the birth of a quote in `created`."""

DOOR = "actions/quote/advance_quote.py"

_UPDATE = re.compile(
    r"\bupdate\s+(?:only\s+)?(?:\w+\.)?quotes\b.*?\bset\b(?P<columns>.*?)(?:\bwhere\b|\breturning\b|\bfrom\b|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_OTHER_WRITE = re.compile(r"\b(?:insert\s+into|merge\s+into|copy)\s+(?:\w+\.)?quotes\b", re.IGNORECASE)


def statements_in(tree: ast.AST) -> Iterator[str]:
    """Return every text that may be SQL, and the writes that name a table and its columns in Python."""
    yield from texts_in(tree)
    for node in nodes_in(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="insert"), args=[ast.Constant(value=str(table)), *_]):
                yield f"insert into {table}"
            case ast.Call(func=ast.Attribute(attr="update"), args=[ast.Constant(value=str(table)), *_]):
                # What is given as a mapping may be any column.
                yield f"update {table} set {', '.join(given.arg or 'status' for given in node.keywords)}"
            case _:
                pass


def writes_status(sql: str) -> bool:
    changed = (found["columns"] for found in _UPDATE.finditer(sql))
    return bool(_OTHER_WRITE.search(sql)) or any(re.search(r"\bstatus\b", columns) for columns in changed)


def status_writers(sources: Mapping[str, str]) -> set[tuple[str, str]]:
    """Find the functions whose SQL writes the status of a quote; the name is empty outside any function."""
    found = set()
    for name, source in sources.items():
        tree = parsed(source)
        writes = {
            function: sum(map(writes_status, statements_in(function))) for function in functions_in(tree)
        }
        inside = {(name, function.name) for function, count in writes.items() if count}
        everywhere = sum(map(writes_status, statements_in(tree)))
        found |= inside | ({(name, "")} if everywhere > sum(writes.values()) else set())
    return found


def callers_of_save(sources: Mapping[str, str]) -> set[str]:
    """Find the modules that call the save of `storage/quote/quotes`, by whatever name they imported it."""
    return {name for name, source in sources.items() if any(_uses_of_save(parsed(source)))}


def _uses_of_save(tree: ast.Module) -> Iterator[bool]:
    module_names = {"bindery.storage.quote.quotes"}
    for node in nodes_in(tree):
        match node:
            case ast.ImportFrom(module="bindery.storage.quote", names=names):
                module_names |= {n.asname or n.name for n in names if n.name == "quotes"}
            case ast.ImportFrom(module="bindery.storage.quote.quotes", names=names):
                yield any(n.name == "save" for n in names)
            case ast.Import(names=names):
                module_names |= {
                    n.asname for n in names if n.name == "bindery.storage.quote.quotes" and n.asname
                }
            case _:
                pass
    for node in nodes_in(tree):
        if isinstance(node, ast.Attribute) and node.attr == "save":
            yield ast.unparse(node.value) in module_names


CONTINGENCY_WRITERS = {
    "actions/quote/advance_quote.py",
    "actions/submission/process_submission.py",
    "actions/desk/offer_option.py",
}
"""Who may write contingencies: the door that tells of each, and the births of quotes that come with them."""


def callers_of(function: str, sources: Mapping[str, str], module: str = "contingencies") -> set[str]:
    """Find the modules that call a function of a module of storage."""
    return {
        name
        for name, source in sources.items()
        for node in nodes_in(parsed(source))
        # To write a node out again costs more than everything else here.
        if isinstance(node, ast.Attribute)
        and node.attr == function
        and ast.unparse(node) == f"{module}.{function}"
    }


def test_no_contingency_changes_without_being_told() -> None:
    sources = python_sources()

    assert callers_of("add", sources) == CONTINGENCY_WRITERS
    for change in ("close", "reopen"):
        assert callers_of(change, sources) == {"actions/quote/advance_quote.py"}
    writes = re.compile(r"\b(?:update|insert\s+into|delete\s+from)\s+contingencies\b", re.IGNORECASE)
    found = {
        name for name, source in sources.items() if any(map(writes.search, statements_in(parsed(source))))
    }
    assert found == {"storage/quote/contingencies.py"}


def test_a_seeded_writer_of_contingencies_is_found() -> None:
    seeded = {"actions/bend.py": "async def bend(tx, q):\n    await contingencies.add(tx, q, [])\n"}

    assert callers_of("add", seeded) == {"actions/bend.py"}


def test_no_other_sql_writes_the_status_of_a_quote() -> None:
    assert status_writers(python_sources()) == STATUS_WRITERS


def test_nothing_but_the_door_saves_a_quote() -> None:
    assert callers_of_save(python_sources()) == {DOOR}


def test_no_migration_writes_the_status_of_a_quote() -> None:
    migrations = {path.name: path.read_text() for path in PACKAGE.rglob("*.sql")}

    assert migrations
    assert [name for name, sql in migrations.items() if writes_status(sql)] == []


@pytest.mark.parametrize(
    "statement",
    [
        "update quotes set status = $1 where quote_id = $2",
        "UPDATE quotes SET premium = 1, status = 'stale'",
        "update only public.quotes as q set version = version + 1, status = 'stale' from x where true",
        "update quotes\nset (premium, status) = (1, 'stale')\nwhere quote_id = $1",
        "with due as (select 1) update quotes set status = $1 returning quote_id",
        "insert into quotes (quote_id, status) values ($1, 'published')",
        "merge into quotes using x on true when matched then update set status = 'stale'",
        "copy quotes (quote_id, status) from stdin",
    ],
)
def test_a_seeded_writer_is_found(statement: str) -> None:
    seeded = {"storage/sweeps.py": f"async def bend(tx):\n    await tx.connection.execute({statement!r})\n"}

    assert status_writers(seeded) == {("storage/sweeps.py", "bend")}


@pytest.mark.parametrize(
    "statement",
    [
        "select status from quotes where quote_id = $1",
        "update quotes set premium = 1 where status = 'published'",
        "update contingencies set status = 'closed' where contingency_id = $1",
        "select quote_id from quotes where status = any($1) order by quote_id for no key update",
    ],
)
def test_reading_a_status_or_writing_another_tables_is_no_violation(statement: str) -> None:
    seeded = {"storage/reads.py": f"async def read(tx):\n    await tx.connection.execute({statement!r})\n"}

    assert status_writers(seeded) == set()


@pytest.mark.parametrize(
    "call",
    [
        "tx.update('quotes', {'quote_id': quote_id}, status='stale')",
        "tx.update('quotes', {'quote_id': quote_id}, **changes)",
        "tx.insert('quotes', {'quote_id': quote_id, 'status': 'published'})",
    ],
)
def test_a_seeded_writer_by_columns_is_found(call: str) -> None:
    seeded = {"storage/sweeps.py": f"async def bend(tx, quote_id, changes):\n    await {call}\n"}

    assert status_writers(seeded) == {("storage/sweeps.py", "bend")}


def test_a_seeded_writer_outside_any_function_is_found() -> None:
    seeded = {"storage/sweeps.py": 'COLUMN = "status"\nBEND = f"update quotes set status = {COLUMN}"\n'}

    assert status_writers(seeded) == {("storage/sweeps.py", "")}


@pytest.mark.parametrize(
    "source",
    [
        "from bindery.storage.quote import quotes\n\nasync def f(tx, q):\n    await quotes.save(tx, q)\n",
        "from bindery.storage.quote import quotes as rows\n\nasync def f(t, q):\n    rows.save(t, q)\n",
        "from bindery.storage.quote.quotes import save as keep\n\nasync def f(t, q):\n    keep(t, q)\n",
        "import bindery.storage.quote.quotes\n\ndef f(q):\n    bindery.storage.quote.quotes.save(q)\n",
        "import bindery.storage.quote.quotes as rows\n\nkeep = rows.save\n",
    ],
)
def test_a_seeded_caller_of_save_is_found(source: str) -> None:
    assert callers_of_save({"actions/bend_quote.py": source}) == {"actions/bend_quote.py"}


def test_saving_something_else_is_no_violation() -> None:
    source = "from bindery.storage import blobs\n\nasync def keep(tx, b):\n    await blobs.save(tx, b)\n"

    assert callers_of_save({"actions/keep_blob.py": source}) == set()


_LINK_UPDATE = re.compile(
    r"\bupdate\s+client_links\b.*?\bset\b(?P<columns>.*?)(?:\bwhere\b|\Z)", re.IGNORECASE | re.DOTALL
)


def link_status_writers(sources: Mapping[str, str]) -> set[tuple[str, str]]:
    """Find the functions whose SQL writes the status of a link to a client."""
    return {
        (name, function.name)
        for name, source in sources.items()
        for function in functions_in(parsed(source))
        for sql in statements_in(function)
        for found in _LINK_UPDATE.finditer(sql)
        if re.search(r"\bstatus\s*=|\bstatus\b,|\bstatus\Z", found["columns"])
    }


def test_the_status_of_a_link_is_written_by_its_door_alone() -> None:
    door = "storage/signing/client_links.py"

    assert link_status_writers(python_sources()) == {(door, "move"), (door, "expire")}


def test_a_seeded_writer_of_a_links_status_is_found() -> None:
    by_hand = 'async def sign(tx): await tx.update("client_links", {"link_id": 1}, status="signed")'
    in_sql = "async def sign(tx): await tx.execute(\"update client_links set status = 'signed' where true\")"
    counting = "async def open(tx): await tx.execute('update client_links set openings = 1 where status = 2')"

    assert link_status_writers({"a.py": by_hand, "b.py": in_sql, "c.py": counting}) == {
        ("a.py", "sign"),
        ("b.py", "sign"),
    }
