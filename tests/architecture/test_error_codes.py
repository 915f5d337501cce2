"""docs/error-codes.md lists every code that the service can answer with, and no other."""

import ast
import re
from collections.abc import Iterator

from tools.source_reading import parsed

from bindery.api import app
from bindery.api.errors import STATUS_OF
from bindery.base.errors import BinderyError
from bindery.domain.questions.values import AnswerProblem
from bindery.domain.submission import value
from bindery.http import body_words
from support.source_tree import ROOT, nodes_in

SOURCE = ROOT / "src" / "bindery"
NOT_ON_THE_WIRE = (
    "cli",
    "client",
    "outside",
    "settings.py",
    "domain/documents/holder_list.py",
    "domain/documents/holders.py",
    "domain/quote/legacy.py",
    "web/",
    "domain/access/users.py",
    "actions/access/add_partner.py",
    "actions/access/change_user.py",
    "actions/desk/offer_option.py",
    "actions/submission/ask_for_option.py",
    "actions/submission/start_draft.py",
    "actions/desk/take_case.py",
    "domain/quote/counter_offer.py",
)
PASSED_ON = {
    ("http/body_words.py", "*_in_words(name, details)"): "the codes of `_WORDS`",
    ("base/errors.py", "code"): "that of `InvalidRequest.at`, written where it is called",
    ("domain/questions/values.py", "code"): "a member of AnswerProblem",
}
"""Where the code of a problem is not written next to it, and where it comes from."""


def section(title: str) -> set[str]:
    """Return the codes in the table under a heading of the page."""
    page = (ROOT / "docs" / "error-codes.md").read_text("utf-8")
    table = page.partition(f"## {title}")[2].partition("\n## ")[0]
    return set(re.findall(r"^\| `([a-z_0-9]+)` \|", table, re.MULTILINE))


def problem_calls() -> Iterator[tuple[str, ast.expr]]:
    """Return the code of every problem that is made on the way of a request, as it is written."""
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        if name.startswith(NOT_ON_THE_WIRE):
            continue
        for node in nodes_in(parsed(path.read_text("utf-8"))):
            match node:
                case (
                    ast.Call(func=ast.Name(id="Problem"), args=[_, code, *_])
                    | ast.Call(func=ast.Attribute(attr="at"), args=[_, code, _])
                ):
                    yield name, code


def codes_of_problems() -> Iterator[str]:
    for name, code in problem_calls():
        match code:
            case ast.Constant(value=str(text)):
                yield text
            case ast.Attribute(value=ast.Name(id="AnswerProblem"), attr=member):
                yield AnswerProblem[member]
            case ast.Attribute(attr="code"):
                pass  # that of another problem, which was found where it was made
            case _:
                assert (name, ast.unparse(code)) in PASSED_ON, f"{name}: {ast.unparse(code)}"
    yield from AnswerProblem
    yield from (code for code, _ in body_words._WORDS.values())
    yield "invalid"


def family(above: type[BinderyError]) -> Iterator[type[BinderyError]]:
    yield above
    for below in above.__subclasses__():
        yield from family(below)


def test_every_code_of_a_problem_is_in_the_page_and_no_other() -> None:
    assert section("Codes of a problem") == set(codes_of_problems())


def test_every_kind_of_refusal_is_in_the_page() -> None:
    assert callable(app.create_api), "all operations are loaded, and with them every class of fault"
    answered = {
        fault.code for fault in family(BinderyError) if any(above in STATUS_OF for above in fault.__mro__)
    }

    assert answered <= section("Codes of an answer")


def test_every_code_of_a_correction_is_in_the_page_and_no_other() -> None:
    used = {
        ast.unparse(keyword)
        for path in (SOURCE / "domain").rglob("*.py")
        for node in nodes_in(parsed(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Correction"
        for keyword in node.args[4:]
    }

    assert {getattr(value, name) for name in used} | {value.RETENTION_RAISED} == set(
        value.CORRECTION_MEANINGS
    )
    assert section("Codes of a correction") == set(value.CORRECTION_MEANINGS)
