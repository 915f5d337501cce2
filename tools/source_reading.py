"""Reading the program's source for what its documents list."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

GAP = "…"
"""Stands for what a message fills in."""


@dataclass(frozen=True, slots=True)
class Module:
    """A parsed source file; `name` is its path inside the package, such as `domain/quote/quote.py`."""

    name: str
    tree: ast.Module


@dataclass(frozen=True, slots=True)
class FaultClass:
    name: str
    bases: tuple[str, ...]
    code: str | None
    meaning: str


@cache
def parsed(source: str) -> ast.Module:
    """Return the tree of a source, which many look at and none may change."""
    return ast.parse(source)


@cache
def modules(package: Path) -> tuple[Module, ...]:
    return tuple(
        Module(path.relative_to(package).as_posix(), parsed(path.read_text("utf-8")))
        for path in sorted(package.rglob("*.py"))
    )


def fault_classes(found: Sequence[Module]) -> dict[str, FaultClass]:
    """Find the family of `BinderyError`, each class after its base."""
    classes = {
        node.name: FaultClass(node.name, tuple(map(_name, node.bases)), _code_of(node), _first_line(node))
        for module in found
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef)
    }
    family: dict[str, FaultClass] = {}
    grown = -1
    while grown < len(family):
        grown = len(family)
        family |= {
            name: fault
            for name, fault in classes.items()
            if name == "BinderyError" or any(base in family for base in fault.bases)
        }
    return family


def calls(module: Module) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and (name := _name(node.func)):
            yield name, node


def words(module: Module, node: ast.expr) -> str | None:
    """Return the text of a literal, of an f-string with gaps, or of a name that one of them was given to."""
    match node:
        case ast.Constant(value=str(said)):
            return said
        case ast.JoinedStr(values=pieces):
            return "".join(words(module, piece) or GAP for piece in pieces)
        case ast.Name(id=name):
            given = (
                words(module, assigned.value)
                for assigned in ast.walk(_function_around(module, node))
                if isinstance(assigned, ast.Assign) and name in map(_name, assigned.targets)
                if isinstance(assigned.value, ast.Constant | ast.JoinedStr)
            )
            return next(given, None)
        case _:
            return None


def _function_around(module: Module, node: ast.expr) -> ast.AST:
    around: list[ast.AST] = [
        function
        for function in ast.walk(module.tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        and function.lineno <= node.lineno <= (function.end_lineno or 0)
    ]
    return around[-1] if around else module.tree


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((given.value for given in call.keywords if given.arg == name), None)


def _name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value):
            return _name(value)
        case _:
            return ""


def _code_of(node: ast.ClassDef) -> str | None:
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="code")], value=ast.Constant(value=str(code))):
                return code
            case _:
                pass
    return None


def _first_line(node: ast.ClassDef) -> str:
    return (ast.get_docstring(node) or "").partition("\n")[0]
