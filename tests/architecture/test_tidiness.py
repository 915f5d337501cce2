"""What keeps the tree readable, looked at by a program."""

import ast
import importlib
import pkgutil
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

import pytest
from tools.install import pinned_names
from tools.source_reading import parsed

import bindery
from support.source_tree import PACKAGE, ROOT, nodes_in, python_sources, text_files

LONGEST_FILE = 400
CLOCK = "base/clock.py"
CLOCK_READERS = frozenset(
    {"datetime.now", "datetime.utcnow", "datetime.today", "date.today", "time.time", "time.time_ns"}
)
NEEDS_ALEMBIC = "bindery.storage.migrations.env"
"""Alembic runs this file itself, with a connection."""

SLOW_TO_IMPORT = r"(pyhanko|asn1crypto|bindery\.documents\.seal)\b"
"""Half a second of processor time: a press takes it with its first seal."""

THIS_TEST = "tests/architecture/test_tidiness.py"
UNFINISHED = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")
MACHINE_PATH = re.compile(r"(?<![\w.$}~-])/(?:home|root|Users|work|workspace|mnt)/[\w.-]+")
INDEX_ADDRESS = re.compile(r"https?://|--index-url|--find-links|--extra-index-url", re.IGNORECASE)


def print_calls(tree: ast.Module) -> Iterator[int]:
    for node in nodes_in(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"print", "builtins.print"}:
            yield node.lineno


def clock_reads(tree: ast.Module) -> Iterator[int]:
    for node in nodes_in(tree):
        if isinstance(node, ast.Attribute) and ".".join(ast.unparse(node).split(".")[-2:]) in CLOCK_READERS:
            yield node.lineno
        if isinstance(node, ast.ImportFrom) and node.module == "time":
            yield from (node.lineno for name in node.names if f"time.{name.name}" in CLOCK_READERS)


def float_uses(tree: ast.Module) -> Iterator[int]:
    for node in nodes_in(tree):
        match node:
            case ast.Constant(value=float()) | ast.Name(id="float"):
                yield node.lineno
            case _:
                pass


def imports_of_the_seal(tree: ast.Module) -> Iterator[int]:
    """Find what a module imports of it as soon as it is imported itself."""
    for node in tree.body:
        match node:
            case ast.ImportFrom(module=str(module), names=names):
                imported = {module, *(f"{module}.{name.name}" for name in names)}
            case ast.Import(names=names):
                imported = {name.name for name in names}
            case _:
                continue
        if any(re.match(SLOW_TO_IMPORT, name) for name in imported):
            yield node.lineno


def found_by(look: Callable[[ast.Module], Iterator[int]], *, under: str = "") -> list[str]:
    return [
        f"{name}:{number}"
        for name, source in python_sources().items()
        if name.startswith(under)
        for number in look(parsed(source))
    ]


def test_no_module_is_longer_than_a_person_reads_at_once() -> None:
    lengths = {name: len(source.splitlines()) for name, source in python_sources().items()}

    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


def test_nothing_is_left_unfinished() -> None:
    left = [name for name, text in text_files() if name != THIS_TEST and UNFINISHED.search(text)]

    assert left == []


def test_only_the_commands_print() -> None:
    assert [place for place in found_by(print_calls) if not place.startswith("cli/")] == []


def test_one_class_reads_the_clock() -> None:
    assert {place.partition(":")[0] for place in found_by(clock_reads)} == {CLOCK}


def test_no_process_starts_with_what_only_a_seal_needs() -> None:
    found = {place.partition(":")[0] for place in found_by(imports_of_the_seal)}

    assert {name for name in found if not name.startswith("documents/seal/")} == set()


def test_rating_knows_no_float() -> None:
    assert found_by(float_uses, under="domain/rating/") == []


@pytest.mark.parametrize(
    ("look", "source"),
    [
        (print_calls, "print('here')"),
        (clock_reads, "import datetime\nstarted = datetime.datetime.now(datetime.UTC)"),
        (clock_reads, "from datetime import date\ntoday = date.today"),
        (clock_reads, "import time\nstarted = time.time()"),
        (clock_reads, "from time import time"),
        (imports_of_the_seal, "from bindery.documents import seal"),
        (imports_of_the_seal, "from bindery.documents.seal import seal_pdf"),
        (imports_of_the_seal, "import pyhanko.sign"),
        (float_uses, "factor = 1.05"),
        (float_uses, "premium = float(rated)"),
    ],
)
def test_a_seeded_violation_is_found(look: Callable[[ast.Module], Iterator[int]], source: str) -> None:
    assert list(look(parsed(source))) == [len(source.splitlines())]


def test_every_module_can_be_imported() -> None:
    names = [found.name for found in pkgutil.walk_packages(bindery.__path__, "bindery.")]

    assert len(names) > 100
    for name in names:
        if name != NEEDS_ALEMBIC:
            importlib.import_module(name)


def test_every_folder_of_modules_is_a_package() -> None:
    folders = {path.parent for path in PACKAGE.rglob("*.py")}

    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


@pytest.mark.parametrize("path", ["/home/somebody/bindery", "in /root/bindery", '"/Users/somebody/x"'])
def test_a_machines_own_path_is_recognized(path: str) -> None:
    assert MACHINE_PATH.search(path)


@pytest.mark.parametrize("path", ["/usr/lib/postgresql", "/var/lib/bindery", "docs/work/x", "$HOME/root/x"])
def test_a_path_that_every_machine_has_may_be_named(path: str) -> None:
    assert not MACHINE_PATH.search(path)


def test_no_file_names_a_machines_own_path() -> None:
    named = {
        name: found.group()
        for name, text in text_files()
        if name != THIS_TEST and (found := MACHINE_PATH.search(text))
    }

    assert named == {}


def test_the_locked_dependencies_name_no_package_index() -> None:
    locked = {name: text for name, text in text_files() if name.startswith("requirements/")}

    assert len(locked) == 6
    assert [name for name, text in locked.items() if INDEX_ADDRESS.search(text)] == []
    assert all("--hash=sha256:" in text for text in locked.values())


def test_what_builds_the_program_is_locked_apart_from_what_runs_it() -> None:
    locked = {
        name: pinned_names((ROOT / "requirements" / f"{name}.txt").read_text("utf-8"))
        for name in ("runtime", "build", "dev")
    }

    assert {"hatchling", "editables", "trove_classifiers"} <= locked["build"]
    assert locked["build"] & locked["runtime"] == set()
    assert locked["build"] | locked["runtime"] <= locked["dev"]


def test_the_locked_packages_of_npm_name_no_address() -> None:
    locked = {name: text for name, text in text_files() if name.endswith("package-lock.json")}

    assert len(locked) == 2
    assert [name for name, text in locked.items() if "://" in text] == []
    assert all('"integrity": "sha512-' in text for text in locked.values())


NAMED_TWICE = {"Policy"}
"""The specification calls a part of the request so, and the trade what is bound."""


def class_names_twice(sources: Mapping[str, str]) -> set[str]:
    """Return the public class names that stand more than once; the client package ships alone."""
    names = Counter(
        node.name
        for path, source in sources.items()
        if not path.startswith("client/")
        for node in parsed(source).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    return {name for name, count in names.items() if count > 1}


def test_a_name_is_that_of_a_single_class() -> None:
    assert class_names_twice(python_sources()) == NAMED_TWICE


def test_a_seeded_second_class_of_a_name_is_found() -> None:
    first, second = "class Page: ...\nclass _Row: ...", "class Page: ...\nclass _Row: ..."

    assert class_names_twice({"web/a.py": first, "api/b.py": second}) == {"Page"}
    assert class_names_twice({"web/a.py": first, "client/b.py": second}) == set()
