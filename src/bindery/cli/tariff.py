"""The numbers that prices are made of: tariffs, questions, coverages and state charges."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.text import Text

from bindery.cli.common import JsonOption, complaints, console, counted, plain_table, print_json, show_line
from bindery.domain.coverages.edition import check_coverages
from bindery.domain.coverages.edition import read_edition as read_coverages
from bindery.domain.questions.check import check_questions
from bindery.domain.questions.question import read_edition as read_questions
from bindery.domain.rating.check_tariff import check_charges, check_tariff
from bindery.domain.rating.surcharges import charge_rules
from bindery.domain.rating.tariff import read_tariff

app = typer.Typer(no_args_is_help=True)
FAULTY = 1
SHOWN_DIGITS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    kind: str
    name: str
    fingerprint: str
    faults: list[str]


@app.callback()
def _group() -> None:
    """The numbers that prices are made of."""


@app.command(
    "check", help="Check the tariffs, questions, coverages and state charges; exit code 1 on a fault."
)
def check(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE.toml]…",
            exists=True,
            dir_okay=False,
            readable=True,
            help="Tariffs in the making, to be checked instead of those that come with the program.",
        ),
    ] = None,
    *,
    as_json: JsonOption = False,
) -> int:
    checked = [_tariff(file.name, file.read_bytes()) for file in files] if files else list(_packaged())
    if as_json:
        print_json(checked)
    else:
        _show(checked)
    return FAULTY if any(file.faults for file in checked) else 0


def _packaged() -> Iterator[Checked]:
    readers: dict[str, Callable[[str, bytes], Checked]] = {
        "tariffs": _tariff,
        "questions": lambda name, content: _checked(
            "questions", name, content, lambda: check_questions(read_questions(content))
        ),
        "coverages": lambda name, content: _checked(
            "coverages", name, content, lambda: check_coverages(read_coverages(msgspec.json.decode(content)))
        ),
    }
    data = resources.files("bindery") / "data"
    for folder, read in readers.items():
        for file in sorted((data / folder).iterdir(), key=lambda entry: entry.name):
            yield read(file.name, file.read_bytes())
    content = (data / "state_charges.csv").read_bytes()
    yield _checked("state charges", "all states", content, lambda: check_charges(charge_rules()))


def _tariff(name: str, content: bytes) -> Checked:
    checked = _checked("tariff", name, content, lambda: check_tariff(read_tariff(content.decode())))
    try:
        tariff = read_tariff(content.decode())
    except ValueError:
        return checked
    # As a quote's worksheet names it: the fingerprint of the numbers, without the comments around them.
    return replace(checked, name=tariff.edition, fingerprint=tariff.fingerprint)


def _checked(kind: str, name: str, content: bytes, find_faults: Callable[[], list[str]]) -> Checked:
    """Check a file; one that cannot even be read has that as its fault."""
    try:
        faults = find_faults()
    except (ValueError, TypeError, LookupError, msgspec.MsgspecError) as fault:
        faults = [f"cannot be read: {fault}"]
    fingerprint = hashlib.sha256(content).hexdigest()
    return Checked(kind=kind, name=Path(name).stem, fingerprint=fingerprint, faults=faults)


def _show(checked: list[Checked]) -> None:
    table = plain_table("", "EDITION", "FINGERPRINT", "")
    for file in checked:
        faults = len(file.faults)
        verdict = Text(counted(faults, "fault"), "red") if faults else Text("good", "green")
        table.add_row(file.kind, file.name, file.fingerprint[:SHOWN_DIGITS], verdict)
    console.print(table)
    for file in checked:
        for fault in file.faults:
            show_line(f"{file.kind} {file.name}: {fault}", complaints)
