"""The codes in `docs/error-codes.md` and `contract/codes.py`: of faults, problems, corrections and rules."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

import bindery
from bindery.api.errors import STATUS_OF, crash_response, unavailable_response
from bindery.domain.questions.values import AnswerProblem
from bindery.domain.screening.rules import rule_catalogue
from bindery.domain.submission.value import CORRECTION_MEANINGS
from tools.source_reading import FaultClass, Module, calls, fault_classes, keyword, modules, words

NOT_ON_THE_WIRE: Final = (
    "actions/access/add_partner.py",
    "actions/access/change_user.py",
    "actions/desk/offer_option.py",
    "actions/desk/take_case.py",
    "actions/submission/ask_for_option.py",
    "actions/submission/start_draft.py",
    "cli/",
    "client/",
    "domain/documents/holder_list.py",
    "domain/documents/holders.py",
    "domain/quote/counter_offer.py",
    "domain/quote/legacy.py",
    "domain/access/users.py",
    "domain/access/users.py",
    "outside/",
    "settings.py",
    "web/",
)
"""Where problems are about the command line, the client, the machine or a page, not about the API."""

MOST_MESSAGES: Final = 4

INTRODUCTION: Final = """# Codes

Messages are for people and may be reworded any day; programs go by codes, which stay. This page is
written from the program: the classes of faults, the checks that find problems, what is corrected, and the
referral rules.

"""
MODULE: Final = '''"""The codes of answers, problems and referral reasons, written by `make docs`."""

from typing import Final
'''
ANSWERS: Final = """## Codes of an answer

The `code` of an error body; [Errors](guide/errors.md) shows the body.

"""
PROBLEMS: Final = """## Codes of a problem

The `code` of each entry in `errors`. Its `path` says where, its `message` what; an ellipsis stands for what
the message fills in.

"""
CORRECTIONS: Final = """## Codes of a correction

The `code` of each entry in a quote's `corrections`, and in the `warnings` of `POST /v2/quotes/validate`:
what was accepted but is not quoted as it was sent.

"""
REASONS: Final = """## Codes of a referral reason

The `code` of each entry in a quote's `referral_reasons`, and in those that `POST /v2/quotes/validate`
foresees. Every rule runs and every reason is kept.

"""


def error_codes_page() -> str:
    answers, problems = _catalogue()
    parts = (
        ANSWERS + _table(("Code", "HTTP", "Meaning"), answers),
        PROBLEMS + _table(("Code", "Says"), problems),
        CORRECTIONS
        + _table(("Code", "Means"), ((f"`{code}`", said) for code, said in CORRECTION_MEANINGS.items())),
        REASONS + _table(("Code", "Products", "Rule"), _reasons()),
    )
    return INTRODUCTION + "\n\n".join(parts) + "\n"


def codes_module() -> str:
    answers, problems = _catalogue()
    lists = {
        "ERROR_CODES": map(_code, answers),
        "PROBLEM_CODES": map(_code, problems),
        "REFERRAL_CODES": sorted(entry.code for entry in rule_catalogue()),
    }
    written = [MODULE]
    for name, codes in lists.items():
        written += [f"{name}: Final = (", *(f'    "{code}",' for code in codes), ")"]
    return "\n".join(written) + "\n"


@cache
def _catalogue() -> tuple[Sequence[tuple[str, str, str]], Sequence[tuple[str, str]]]:
    """Return the codes of answers and those of problems, with what is said of them."""
    found = modules(Path(bindery.__file__).parent)
    on_the_wire = [module for module in found if not module.name.startswith(NOT_ON_THE_WIRE)]
    # What the schema says of any field comes before what a rule says of one.
    on_the_wire.sort(key=lambda module: not module.name.startswith("http/bod"))
    answers = sorted(_answers(on_the_wire, fault_classes(found)), key=_code)
    return answers, sorted(_problems(on_the_wire), key=_code)


def _code(row: Sequence[str]) -> str:
    return row[0].strip("`")


def _answers(found: Sequence[Module], family: dict[str, FaultClass]) -> Iterator[tuple[str, str, str]]:
    numbers = {cls.__name__: number for cls, number in STATUS_OF.items()}
    for fault in family.values():
        number = _number(fault, family, numbers)
        if number is not None and fault.code is not None:
            yield f"`{fault.code}`", str(number), fault.meaning
    special: dict[str, tuple[int, str]] = {}
    for module in found:
        for name, call in calls(module):
            given = keyword(call, "code")
            code = words(module, given) if given is not None else None
            number = _number(family[name], family, numbers) if name in family else None
            if code is not None and number is not None and call.args:
                special.setdefault(code, (number, words(module, call.args[0]) or family[name].meaning))
    yield from ((f"`{code}`", str(number), meaning) for code, (number, meaning) in special.items())
    for response in (crash_response("", "POST"), unavailable_response("")):
        body = msgspec.json.decode(bytes(response.body))
        yield f"`{body['code']}`", str(response.status_code), body["message"]


def _number(fault: FaultClass, family: dict[str, FaultClass], numbers: dict[str, int]) -> int | None:
    if fault.name in numbers:
        return numbers[fault.name]
    above = (_number(family[base], family, numbers) for base in fault.bases if base in family)
    return next((number for number in above if number is not None), None)


def _problems(found: Sequence[Module]) -> Iterator[tuple[str, str]]:
    messages: dict[str, list[str]] = {code.value: [] for code in AnswerProblem}
    for code, message in _said(found):
        known = messages.setdefault(code, [])
        if message and message not in known:
            known.append(message)
    for code, said in messages.items():
        yield f"`{code}`", " · ".join(said[:MOST_MESSAGES]) or "see the message"


def _said(found: Sequence[Module]) -> Iterator[tuple[str, str | None]]:
    """Return each problem's code with its message."""
    for module in found:
        for name, call in calls(module):
            if name in {"Problem", "at"} and len(call.args) == 3:  # noqa: PLR2004 - path, code, message
                code = words(module, call.args[1])
                if code is not None:
                    yield code, words(module, call.args[2])
            yield from _answer_problems(module, call)
        yield from _worded(module)


def _answer_problems(module: Module, call: ast.Call) -> Iterator[tuple[str, str | None]]:
    for given, after in zip(call.args, call.args[1:], strict=False):
        match given:
            case ast.Attribute(value=ast.Name(id="AnswerProblem"), attr=member):
                yield AnswerProblem[member], words(module, after)
            case _:
                pass


def _worded(module: Module) -> Iterator[tuple[str, str | None]]:
    """Return what the schema validator's findings are turned into: pairs of a code and how it is said."""
    for node in ast.walk(module.tree):
        match node:
            case ast.Tuple(elts=[ast.Constant(value=str(code)), ast.Lambda(body=said)]):
                yield code, words(module, said)
            case _:
                pass


def _reasons() -> Iterator[tuple[str, str, str]]:
    for entry in rule_catalogue():
        yield f"`{entry.code}`", ", ".join(entry.products), entry.meaning.partition("\n")[0]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = (head, ["---"] * len(head), *rows)
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(words_in_it: str) -> str:
    return words_in_it.replace("|", "\\|").replace("<", "&lt;")
