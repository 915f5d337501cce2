"""Binders: under whose authority policies are written, and how much of it is used."""

from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer

from bindery.actions.policy.import_binder import check_binder, import_binder
from bindery.base.numbers import in_dollars
from bindery.cli import common
from bindery.cli.stored import read, write
from bindery.domain.policy.binder_file import FileFlaw
from bindery.domain.policy.binders import Binder
from bindery.storage.database import Reader, Tx
from bindery.storage.policy import binders
from bindery.storage.policy.binders import ListedBinder, ListedSection

app = typer.Typer(no_args_is_help=True)
FAULTY: Final = 1
FileArgument = Annotated[Path, typer.Argument(metavar="FILE.toml", help="The binder's file.")]


@app.callback()
def _group() -> None:
    """Under whose authority policies are written, and how much of it is used."""


@app.command("check", help="Check a binder's file, also against those on file; exit code 1 on a problem.")
def check(file: FileArgument, *, data: common.DataOption = None, as_json: common.JsonOption = False) -> None:
    content = common.read_file(file)

    async def work(tx: Reader) -> tuple[Binder | None, list[FileFlaw]]:
        return await check_binder(tx, content)

    _tell(file, *read(data, work), said="can be imported.", as_json=as_json)


@app.command("import", help="Keep a binder, or what a new file says of one; with a problem nothing is kept.")
def import_(
    file: FileArgument, *, data: common.DataOption = None, as_json: common.JsonOption = False
) -> None:
    content = common.read_file(file)

    async def work(tx: Tx) -> tuple[Binder | None, list[FileFlaw]]:
        return await import_binder(tx, content, by=common.doer())

    _tell(file, *write(data, work), said="is on file.", as_json=as_json)


def _tell(file: Path, binder: Binder | None, flaws: list[FileFlaw], *, said: str, as_json: bool) -> None:
    if as_json:
        agreement = None if binder is None else binder.agreement
        common.print_json({"agreement": agreement, "problems": flaws})
    elif flaws:
        for flaw in flaws:
            common.say(f"{file.name}, line {flaw.line}: {f'{flaw.field} ' if flaw.field else ''}{flaw.text}.")
        common.say(f"{common.counted(len(flaws), 'problem')}; nothing was kept.")
    elif binder is not None:
        sections = common.counted(len(binder.sections), "section")
        limit = in_dollars(binder.premium_limit)
        days = f"{binder.inception} until {binder.expiry}"
        common.say(f"Binder {binder.agreement}, {days}, {limit} of premium in {sections}, {said}")
    if flaws:
        raise typer.Exit(FAULTY)


@app.command("list", help="List the binders with what is used of their premium limits.")
def list_(*, data: common.DataOption = None, as_json: common.JsonOption = False) -> None:
    async def work(tx: Reader) -> tuple[list[ListedBinder], int]:
        return await binders.list_binders(tx), await binders.count_without(tx)

    listed, without = read(data, work)
    if as_json:
        common.print_json({"binders": listed, "policies_without_binder": without})
        return
    if listed:
        common.print_table(
            ("AGREEMENT", "FROM", "UNTIL", "LIMIT", "BOOKED", "LEFT", "POLICIES"),
            [
                (
                    binder.agreement,
                    str(binder.inception),
                    str(binder.expiry),
                    in_dollars(binder.premium_limit),
                    in_dollars(binder.premium_booked),
                    in_dollars(binder.premium_limit - binder.premium_booked),
                    f"{binder.policies:,}",
                )
                for binder in listed
            ],
        )
    else:
        common.say("There is no binder, so nobody's authority is asked: bindery binder import FILE.toml.")
    if without:
        common.say(f"Policies written on no binder: {without:,}.")


@app.command("show", help="Show a binder: what is used of it, by section and by state.")
def show(agreement: str, *, data: common.DataOption = None, as_json: common.JsonOption = False) -> None:
    async def work(tx: Reader) -> tuple[ListedBinder, list[ListedSection], list[tuple[str, int, int]]]:
        found = [binder for binder in await binders.list_binders(tx) if binder.agreement == agreement]
        if not found:
            common.refuse(f"There is no binder {agreement}: bindery binder list.")
        sections = await binders.list_sections(tx, [found[0].binder_id])
        return found[0], sections, await binders.by_state(tx, found[0].binder_id)

    binder, sections, states = read(data, work)
    if as_json:
        by_state = [
            {"state": state, "policies": policies, "premium": premium} for state, policies, premium in states
        ]
        common.print_json({**msgspec.to_builtins(binder), "sections": sections, "states": by_state})
        return
    used = binder.premium_booked * 100 / binder.premium_limit
    common.show_fields(
        (
            ("Agreement", binder.agreement),
            ("Carriers", binder.carriers),
            ("Coverholder", binder.coverholder),
            ("In force", f"{binder.inception} until {binder.expiry}"),
            (
                "Premium",
                f"{in_dollars(binder.premium_booked)} of {in_dollars(binder.premium_limit)}, {used:.1f} %",
            ),
            ("Left", in_dollars(binder.premium_limit - binder.premium_booked)),
        )
    )
    common.print_table(
        ("SECTION", "PRODUCT", "STATES", "POLICIES", "PREMIUM", "COMMISSION"),
        [
            (
                section.name,
                section.product,
                f"{len(section.states)}",
                f"{section.policies:,}",
                in_dollars(section.premium),
                in_dollars(section.commission),
            )
            for section in sections
        ],
    )
    if states:
        common.print_table(
            ("STATE", "POLICIES", "PREMIUM"),
            [(state, f"{policies:,}", in_dollars(premium)) for state, policies, premium in states],
        )
