"""The project's own files, for the tests that keep them tidy."""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "bindery"
WRITTEN_BY_PEOPLE = (
    "src",
    "tests",
    "tools",
    "bench",
    "clients",
    "deploy",
    "docs",
    "examples",
    "requirements",
    ".ci",
)
TEXT = frozenset(
    {
        ".py",
        ".md",
        ".sql",
        ".toml",
        ".txt",
        ".json",
        ".csv",
        ".svg",
        ".service",
        ".yml",
        ".env",
        ".j2",
        ".css",
        ".js",
        ".html",
        ".typ",
        ".ts",
        ".mjs",
        "",
    }
)


@cache
def python_sources() -> Mapping[str, str]:
    """Return the source of every module of the package by its path in it, such as `domain/quote/quote.py`."""
    return MappingProxyType(
        {
            path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8")
            for path in sorted(PACKAGE.rglob("*.py"))
        }
    )


@cache
def nodes_in(tree: ast.AST) -> tuple[ast.AST, ...]:
    """Return the nodes of a tree; to find them takes longer than to look at each."""
    return tuple(ast.walk(tree))


def text_files() -> Iterator[tuple[str, str]]:
    """Return every text file of the project with its path from the root; nothing that a tool has made.

    In a second working tree of git's, `.git` is a file that names the first one's folder.
    """
    inside = (path for name in WRITTEN_BY_PEOPLE for path in sorted((ROOT / name).rglob("*")))
    for path in (*sorted(ROOT.iterdir()), *inside):
        if path.is_file() and path.suffix in TEXT and not {".git", "__pycache__"} & set(path.parts):
            yield path.relative_to(ROOT).as_posix(), path.read_text("utf-8")


def texts_in(tree: ast.AST) -> Iterator[str]:
    """Return every text literal of a module; where an f-string fills something in stands a space."""
    for node in nodes_in(tree):
        match node:
            case ast.JoinedStr(values=pieces):
                yield "".join(str(p.value) if isinstance(p, ast.Constant) else " " for p in pieces)
            case ast.Constant(value=str(text)):
                yield text
            case _:
                pass


def functions_in(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in nodes_in(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
