"""Carriers: the insurers on whose behalf policies are written."""

from typing import Annotated, Final

import msgspec
import typer

from bindery.actions.policy.add_carrier import add_carrier
from bindery.cli import common
from bindery.cli.stored import read, write
from bindery.domain.policy.binder_file import FileFlaw
from bindery.domain.policy.binders import CarrierOnFile
from bindery.storage.database import Reader, Tx
from bindery.storage.policy import carriers
from bindery.storage.policy.carriers import CarrierOnBinder

app = typer.Typer(no_args_is_help=True)
FAULTY: Final = 1


@app.callback()
def _group() -> None:
    """Insurers on whose behalf policies are written."""


@app.command(
    "add", help="Keep a carrier, so that a binder's file may name it by its number; exit code 1 on a problem."
)
def add(
    number: Annotated[str, typer.Argument(help="Its NAIC number, or that of an alien insurer.")],
    *,
    name: Annotated[str | None, common.optional("As papers name it.")] = None,
    address: Annotated[
        list[str] | None, common.optional("A line of its address; once for each.", metavar="LINE")
    ] = None,
    domicile: Annotated[str | None, common.optional("Where it is domiciled.")] = None,
    rating: Annotated[str | None, common.optional("Its rating, such as that of A.M. Best.")] = None,
    data: common.DataOption = None,
    as_json: common.JsonOption = False,
) -> None:
    asked = {
        "name": name,
        "number": number,
        "address": address or None,
        "domicile": domicile,
        "rating": rating,
    }
    given = {field: value for field, value in asked.items() if value is not None}

    async def work(tx: Tx) -> tuple[CarrierOnFile | None, list[FileFlaw]]:
        return await add_carrier(tx, given, by=common.doer())

    carrier, flaws = write(data, work)
    if as_json:
        problems = [{"field": flaw.field, "text": flaw.text} for flaw in flaws]
        common.print_json({"carrier": carrier, "problems": problems})
    elif carrier is not None:
        common.say(f"{carrier.name} ({carrier.number}) is on file; a binder's file puts it on a binder.")
    else:
        for flaw in flaws:
            common.say(f"{flaw.field} {flaw.text}.")
        common.say(f"{common.counted(len(flaws), 'problem')}; nothing was kept.")
    if flaws:
        raise typer.Exit(FAULTY)


@app.command("list", help="List the carriers with the binders that they are on.")
def list_(*, data: common.DataOption = None, as_json: common.JsonOption = False) -> None:
    async def work(tx: Reader) -> tuple[list[CarrierOnFile], list[CarrierOnBinder]]:
        return await carriers.on_file(tx), await carriers.on_binders(tx)

    listed, places = read(data, work)
    binders_of = {
        carrier.number: [place for place in places if place.number == carrier.number] for carrier in listed
    }
    if as_json:
        common.print_json(
            [
                {**msgspec.to_builtins(carrier), "binders": [*map(_as_json, binders_of[carrier.number])]}
                for carrier in listed
            ]
        )
    elif listed:
        common.print_table(
            ("NUMBER", "NAME", "DOMICILE", "RATING", "BINDERS"),
            [
                (
                    carrier.number,
                    carrier.name,
                    carrier.domicile,
                    carrier.rating,
                    ", ".join(f"{place.agreement} {place.share} %" for place in binders_of[carrier.number]),
                )
                for carrier in listed
            ],
        )
    else:
        common.say("There is no carrier: bindery carrier add NUMBER, or bindery binder import FILE.toml.")


def _as_json(place: CarrierOnBinder) -> dict[str, object]:
    return {
        "agreement": place.agreement,
        "share": place.share,
        "inception": place.inception,
        "expiry": place.expiry,
    }
