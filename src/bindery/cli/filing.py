"""Surplus lines filings: what is owed to the states, reports of it, and what was filed."""

import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack, aclosing, contextmanager
from datetime import date
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import IO, Annotated, Final

import typer

from bindery.actions.policy.mark_filing import AskedMark, Marked, UnfitMark, mark_filing, owed, unmark_filing
from bindery.base.errors import InvalidRequest
from bindery.base.numbers import in_dollars
from bindery.base.spreadsheets import csv_line
from bindery.cli import common
from bindery.cli.stored import read, with_database
from bindery.domain.filings.business_days import what_is_missing
from bindery.domain.filings.obligations import A_QUARTER, FARTHEST, FilingStanding, Mark, Obligation
from bindery.domain.filings.periods import FORMS, FilingPeriod, read_period
from bindery.domain.filings.report import StateReport
from bindery.domain.filings.rules import RuleConfidence
from bindery.domain.rating.surcharges import charge_rules
from bindery.storage.database import Database, Reader
from bindery.storage.policy import filings

app = typer.Typer(no_args_is_help=True)
OTHERWISE_ON_FILE: Final = 1
FilingOption = Annotated[
    str, common.optional("Which filing, where a state has several for a period.", "--filing", metavar="CODE")
]
FLAGS: Final = {
    "state": "STATE",
    "period": "PERIOD",
    "filed_on": "--filed-on",
    "reference": "--reference",
    "filing": "--filing",
}


@app.callback()
def _group() -> None:
    """Surplus lines filings: what is owed to the states, reports of it, and what was filed."""


@app.command("due", help="List what has to be filed: when, with whom, and how much.")
def due(
    *,
    until: Annotated[
        str, common.optional("Up to which day; three months when not given.", metavar="DATE")
    ] = "",
    data: common.DataOption = None,
    as_json: common.JsonOption = False,
) -> None:
    async def work(tx: Reader) -> tuple[date, list[Obligation]]:
        last = _day("--until", until) if until else tx.today + A_QUARTER
        if last > tx.today + FARTHEST:
            common.refuse(f"--until must be {tx.today + FARTHEST} or earlier.")
        return last, await owed(tx, until=last)

    last, found = read(data, work)
    open_ones = [one for one in found if one.standing is not FilingStanding.FILED]
    if as_json:
        common.print_json({"until": last, "filings": [_as_json(one) for one in open_ones]})
        return
    asked = [one for one in open_ones if one.is_asked_for]
    if not found:
        common.say("Nothing is booked yet, so no filing is known.")
    if asked:
        common.print_table(
            ("DUE", "LEFT", "STATE", "PERIOD", "FILING", "AMOUNT", "TO"), [_cells(one) for one in asked]
        )
    elif found:
        common.say(f"No filing with a known day is open until {last}.")
    empty = sorted({one.rule.state for one in open_ones if one.is_asked_for is None})
    if empty:
        common.say(
            "Whether these ask for a report of a period in which nothing was booked is unknown: "
            f"{', '.join(empty)}."
        )
    if missing := what_is_missing():
        common.say(missing)


def _cells(one: Obligation) -> tuple[str, ...]:
    if one.due is None:
        day, left = "unknown", ""
    else:
        day = f"{one.due}{'' if one.rule.confidence is RuleConfidence.HIGH else f' ({one.rule.confidence})'}"
        days = one.days_left or 0
        left = f"{-days} late" if days < 0 else "today" if not days else f"{days}"
    amount = "report" if one.amount is None else in_dollars(one.amount)
    what = f"{one.rule.name}{', zero report' if one.is_zero else ''}"
    period = f"{one.period}{' so far' if one.standing is FilingStanding.OPEN else ''}"
    return day, left, one.rule.state, period, what, amount, one.rule.to


def _as_json(one: Obligation) -> dict[str, object]:
    return {
        "state": one.rule.state,
        "filing": one.rule.code,
        "name": one.rule.name,
        "period": str(one.period),
        "standing": one.standing,
        "due": "unknown" if one.due is None else one.due,
        "days_left": one.days_left,
        "confidence": one.rule.confidence,
        "to": one.rule.to,
        "transactions": one.count,
        "premium": one.premium,
        "amount": one.amount,
        "zero_report": {True: "yes", False: "no", None: "unknown"}[one.is_asked_for] if one.is_zero else None,
        "note": one.rule.note,
    }


@app.command("report", help="Write what was booked in a state and period as CSV, one row a transaction.")
def report(
    *,
    period: Annotated[str, typer.Option(help=f"The period: {FORMS}.")],
    state: Annotated[str, common.optional("The state; with --out, all of them without it.")] = "",
    out: Annotated[
        Path | None, common.optional("A folder for the file, or for one a state.", metavar="DIR")
    ] = None,
    data: common.DataOption = None,
) -> None:
    asked, known = read_period(period), state.strip().upper()
    if asked is None:
        common.refuse(f"--period must be written as {FORMS}.")
    if known and known not in charge_rules():
        common.refuse(f"--state must be a state such as NY, not {state!r}.")
    if not known and out is None:
        common.refuse("--state is missing; with --out DIR there is a file for each state.")
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)

    async def work(database: Database) -> list[StateReport]:
        async with database.snapshot() as tx:
            return await _write_reports(tx, asked, known, out)

    written = with_database(data, work)
    if out is not None:
        for one in written:
            sums = f"{in_dollars(one.premium)} of premium and {in_dollars(one.charges)} of taxes and fees"
            common.say(f"{one.name}.csv: {common.counted(one.count, 'transaction')}, {sums}.")
        if not written:
            common.say(f"Nothing was booked in {asked}.")


async def _write_reports(tx: Reader, period: FilingPeriod, state: str, out: Path | None) -> list[StateReport]:
    """Write the reports one after the other; that of a state which was asked for also without a row."""
    written: list[StateReport] = []
    file = None
    booked = filings.transactions(tx, period.first, period.last, state=state)
    async with aclosing(booked) as parts, AsyncExitStack() as opened:
        async for part in parts:
            for name, rows in groupby(part, key=attrgetter("state")):
                if file is None or written[-1].state != name:
                    await opened.aclose()
                    written.append(StateReport(name, period, today=tx.today))
                    file = opened.enter_context(_writing(out, written[-1]))
                file.writelines(map(csv_line, map(written[-1].row, rows)))
        if state and not written:
            written.append(StateReport(state, period, today=tx.today))
            opened.enter_context(_writing(out, written[-1]))
    return written


@contextmanager
def _writing(out: Path | None, one: StateReport) -> Iterator[IO[str]]:
    """Write the head of a report, what is written in the block, and its foot."""
    with _opened(out, one) as file:
        file.writelines(map(csv_line, one.head()))
        yield file
        file.write(csv_line(one.foot()))


@contextmanager
def _opened(out: Path | None, one: StateReport) -> Iterator[IO[str]]:
    if out is None:
        yield sys.stdout
        return
    with (out / f"{one.name}.csv").open("w", encoding="utf-8", newline="") as file:
        # Makes Excel read UTF-8; the encoding that has it takes a call of Python for each row.
        file.write("\ufeff")
        yield file


@app.command("mark", help="Keep that a filing was made; exit code 1 if something else is on file.")
def mark(
    state: str,
    period: str,
    *,
    filed_on: Annotated[str, typer.Option(metavar="DATE", help="When it was filed.")],
    reference: Annotated[str, typer.Option(help="The number of the receipt, or where it is kept.")],
    filing: FilingOption = "",
    data: common.DataOption = None,
) -> None:
    asked = AskedMark(state=state, period=period, filed_on=filed_on, reference=reference, code=filing)

    async def work(database: Database) -> Marked:
        return await mark_filing(database, asked, by=common.doer())

    with _flags():
        marked = with_database(data, work)
    kept = marked.mark
    what = f"{kept.state} {kept.period} ({marked.rule.name})"
    amount = "" if kept.amount is None else f", {in_dollars(kept.amount)}"
    if marked.is_new:
        common.say(f"{what} is marked as filed on {kept.filed_on}, {kept.reference}{amount}.")
        return
    common.say(
        f"{what} was already marked by {kept.marked_by}: filed on {kept.filed_on}, {kept.reference}{amount}."
    )
    if (str(kept.filed_on), kept.reference) != (filed_on, reference.strip()):
        common.say(f"Nothing was changed; bindery filing unmark {kept.state} {kept.period} takes that back.")
        raise typer.Exit(OTHERWISE_ON_FILE)


@app.command("unmark", help="Take back that a filing was made.")
def unmark(state: str, period: str, *, filing: FilingOption = "", data: common.DataOption = None) -> None:
    async def work(database: Database) -> Mark:
        return await unmark_filing(database, state=state, period=period, code=filing, by=common.doer())

    with _flags():
        kept = with_database(data, work)
    was = f"it was on {kept.filed_on}, {kept.reference}"
    common.say(f"{kept.state} {kept.period} is not marked as filed any more; {was}.")


@contextmanager
def _flags() -> Iterator[None]:
    """Name each problem by the argument or flag that it is about."""
    try:
        yield
    except UnfitMark as fault:
        said = [f"{FLAGS[flaw.field]} {flaw.text}" for flaw in fault.flaws]
        raise InvalidRequest(f"{'; '.join(said)}.") from None


def _day(flag: str, text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        common.refuse(f"{flag} must be a day such as 2026-10-01, not {text!r}.")
