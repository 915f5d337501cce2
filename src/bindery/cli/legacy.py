"""Identifiers of version 0.1."""

import csv
from pathlib import Path
from typing import Annotated

import typer

from bindery.actions.access.add_partner import import_legacy_ids
from bindery.base.errors import InvalidRequest, Problem
from bindery.cli.common import DataOption, counted, refuse, say
from bindery.cli.people import PartnerOption
from bindery.cli.stored import with_runtime
from bindery.domain.quote.legacy import LegacyRow, read_legacy_rows

app = typer.Typer(no_args_is_help=True)
SHOWN = 10


@app.callback()
def _group() -> None:
    """Identifiers of version 0.1."""


@app.command("import", help="Import a partner's old identifiers from a CSV file: kind, old_id, new_id.")
def import_ids(
    file: Annotated[Path, typer.Argument(metavar="FILE.csv", exists=True, dir_okay=False, readable=True)],
    *,
    partner: PartnerOption,
    data: DataOption = None,
) -> None:
    """Import identifiers; all rows or none."""
    rows = _read(file)
    count = with_runtime(data, lambda runtime: import_legacy_ids(runtime.database, partner, rows))
    say(f"Took in {counted(count, 'identifier')}.")


def _read(file: Path) -> list[LegacyRow]:
    try:
        with file.open(newline="", encoding="utf-8-sig") as lines:
            rows, problems = read_legacy_rows(csv.DictReader(lines))
    except (UnicodeDecodeError, csv.Error) as fault:
        refuse(f"{file.name} is not a CSV file in UTF-8: {fault}.")
    if problems:
        raise InvalidRequest(f"{file.name}: {_listed(problems)}")
    return rows


def _listed(problems: list[Problem]) -> str:
    more = f" (and {len(problems) - SHOWN} more)" if len(problems) > SHOWN else ""
    return "; ".join(f"{problem.path} {problem.message}" for problem in problems[:SHOWN]) + more
