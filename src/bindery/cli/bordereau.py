"""Bordereaux: what is reported to the carriers of a binder of each month."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeVar

import typer

from bindery.base.numbers import in_dollars
from bindery.cli import common
from bindery.cli.progress import progress_bar
from bindery.cli.stored import with_runtime
from bindery.domain.bordereaux.bordereau import read_kind, read_month
from bindery.domain.bordereaux.template import (
    STANDARD,
    Template,
    packaged_names,
    packaged_template,
    read_template,
)
from bindery.outside.blobs import BlobLost, BlobsUnavailable

if TYPE_CHECKING:
    from bindery.actions.policy.check_bordereau import CheckedBordereau
    from bindery.actions.policy.make_bordereau import MadeBordereau
    from bindery.actions.policy.write_bordereau import BordereauAsk

T = TypeVar("T")
app = typer.Typer(no_args_is_help=True)
DRAFT: Final = 1
"""The exit code where exceptions are open."""
FLAWED: Final = 1
ENDINGS_READ: Final = (".csv", ".xlsx", ".parquet")
SHOWN: Final = 20
PACKAGES: Final = frozenset({"openpyxl", "pyarrow", "xlsxwriter"})


@app.callback()
def _group() -> None:
    """What is reported to the carriers of a binder of each month."""


@app.command("make", help="Write a month's bordereau; a month that is over is frozen with it.")
def make(
    *,
    binder: Annotated[str, typer.Option(metavar="REF", help="The binder's agreement number or UMR.")],
    month: Annotated[str, typer.Option(metavar="YYYY-MM", help="The month in which it was booked.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder for the files.")],
    kind: Annotated[str, typer.Option(help="premium or risk.")] = "premium",
    template: Annotated[
        str, typer.Option(help="The columns: a name of `bindery bordereau templates`, or a FILE.toml.")
    ] = STANDARD,
    because: Annotated[
        str, common.optional("Why it is final although there are exceptions.", "--because", metavar="TEXT")
    ] = "",
    data: common.DataOption = None,
    as_json: common.JsonOption = False,
) -> None:
    with _with_packages():
        from bindery.actions.policy.make_bordereau import (  # noqa: PLC0415 - takes packages of an extra
            make_bordereau,
        )
        from bindery.actions.policy.write_bordereau import BordereauAsk  # noqa: PLC0415 - as above
    ask = BordereauAsk(
        agreement=binder,
        month=read_month(month),
        kind=read_kind(kind),
        template=_template(template),
        because=because.strip(),
    )
    out.mkdir(parents=True, exist_ok=True)
    with progress_bar() as progress:
        bar = progress.add_task(f"Writing {month}", total=None)

        def advance(done: int, of: int) -> None:
            progress.update(bar, advance=done, total=of)

        try:
            made = with_runtime(
                data, lambda runtime: make_bordereau(runtime, ask, out, by=common.doer(), advance=advance)
            )
        except (BlobLost, BlobsUnavailable) as fault:
            common.refuse(
                f"{month} was frozen, and not all of its files can be read. {fault} bindery verify."
            )
    _tell(ask, made, as_json=as_json)


@app.command("templates", help="List the templates that come with the program.")
def templates(*, as_json: common.JsonOption = False) -> None:
    found = [known for name in packaged_names() if (known := packaged_template(name)) is not None]
    if as_json:
        common.print_json([{"name": known.name, "title": known.title} for known in found])
        return
    common.print_table(
        ("NAME", "COLUMNS", "TITLE"), [(known.name, f"{len(known.columns)}", known.title) for known in found]
    )


@app.command("verify", help="Work a file out again from the ledger; exit code 1 where they differ.")
def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A CSV, XLSX or Parquet that was made.")],
    *,
    template: Annotated[str, common.optional("The template of a draft, if it is a file.", "--template")] = "",
    data: common.DataOption = None,
    as_json: common.JsonOption = False,
) -> None:
    with _with_packages():
        from bindery.actions.policy.check_bordereau import check_bordereau  # noqa: PLC0415 - as above
    if file.suffix not in ENDINGS_READ:
        common.refuse(f"{file.name} is not a file with rows: those end in {', '.join(ENDINGS_READ)}.")
    if not file.is_file():
        common.refuse(f"{file} cannot be read: there is no such file.")
    known = _template(template) if template else None
    with progress_bar() as progress:
        bar = progress.add_task(f"Reading {file.name}", total=None)

        def advance(done: int, of: int) -> None:
            progress.update(bar, advance=done, total=of)

        checked = with_runtime(data, lambda runtime: check_bordereau(runtime, file, known, advance=advance))
    _tell_checked(checked, as_json=as_json)


def _tell_checked(checked: "CheckedBordereau", *, as_json: bool) -> None:
    kept = checked.kept
    if as_json:
        common.print_json(
            {
                "agreement": checked.agreement,
                "month": checked.month,
                "kind": checked.kind,
                "template": checked.template,
                "rows": checked.rows,
                "premium": checked.premium,
                "frozen": None if kept is None else {"at": kept.made_at, "by": kept.made_by},
                "is_as_kept": checked.is_as_kept,
                "flawed": checked.flawed,
                "flaws": checked.flaws,
            }
        )
    else:
        about = f"{checked.agreement}, {checked.month}, {checked.kind} ({checked.template})"
        common.say(f"{about}: {common.counted(checked.rows, 'row')}.")
        if kept is None:
            common.say("It is a draft: nothing of this month is frozen.")
        elif checked.is_as_kept:
            common.say(f"Every byte is that of the file that {kept.made_by} froze on {kept.made_on}.")
        else:
            common.say(f"It is not the file that {kept.made_by} froze on {kept.made_on}.")
        for flaw in checked.flaws[:SHOWN]:
            common.say(f"{flaw[:1].upper()}{flaw[1:]}.")
        if checked.flawed > SHOWN:
            common.say(f"And {checked.flawed - SHOWN:,} more.")
        if not checked.flawed:
            common.say("Its rows are what the ledger says, to the cent.")
    if checked.flawed:
        raise typer.Exit(FLAWED)


@contextmanager
def _with_packages() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as fault:
        if (fault.name or "").partition(".")[0] not in PACKAGES:
            raise
        common.refuse(
            f"Bordereaux take packages that are not installed ({fault.name}): pip install 'bindery[book]'."
        )


def _template(asked: str) -> Template:
    known = packaged_template(asked)
    if known is not None:
        return known
    if not asked.endswith(".toml"):
        common.refuse(
            f"There is no template {asked}: {', '.join(packaged_names())}, or a file that ends in .toml."
        )
    read, flaws = read_template(common.read_file(asked))
    if read is None:
        lines = [f"line {flaw.line}: {flaw.text}" for flaw in flaws]
        common.refuse("\n".join((f"{asked} is no template:", *lines)))
    if read.name in packaged_names():
        common.refuse(f"{asked} has the name of a template that comes with the program, {read.name}.")
    return read


def _tell(ask: "BordereauAsk", made: "MadeBordereau", *, as_json: bool) -> None:
    totals, frozen = made.totals, made.frozen
    if as_json:
        common.print_json(
            {
                "totals": totals,
                "files": [str(path) for path in made.files],
                "frozen": None if frozen is None else {"at": frozen.made_at, "by": frozen.made_by},
            }
        )
    else:
        for exception in made.exceptions[:SHOWN]:
            about = f"{exception.policy_number}, transaction {exception.number}: " if exception.number else ""
            common.say(f"{about}{exception.what} ({exception.owner})")
        if len(made.exceptions) > SHOWN:
            common.say(f"and {len(made.exceptions) - SHOWN:,} more, all in the file of exceptions.")
        rows = common.counted(totals.rows, "row")
        common.say(
            f"{ask.agreement}, {ask.month}, {ask.kind}: {rows}, premium {in_dollars(totals.premium)}, taxes "
            f"and fees {in_dollars(totals.charges)}, commission {in_dollars(totals.commission)}."
        )
        if frozen is None:
            common.say(totals.draft)
        else:
            common.say(f"Frozen {frozen.made_on} by {frozen.made_by}.")
        for path in made.files:
            common.show_line(f"  {path}")
    if frozen is None and totals.exceptions:
        if not as_json:
            common.say("To make it final all the same, say why: --because TEXT, once the month is over.")
        raise typer.Exit(DRAFT)
