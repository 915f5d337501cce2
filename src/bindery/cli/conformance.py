"""`bindery conformance`: the specification, played row by row against an address."""

from collections import Counter
from collections.abc import Sequence
from contextlib import aclosing
from typing import Annotated, Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import typer
from rich.text import Text

from bindery.cli import common
from bindery.cli.connection import Service, TokenOption, UrlOption
from bindery.cli.progress import progress_bar
from bindery.conformance.play import Means, PlayedRow, RowVerdict
from bindery.conformance.row import SpecRow
from bindery.conformance.run import CannotPlay, Target, chosen_rows, player

DIFFERENT: Final = 1
BAR_WIDTH: Final = 24
HIGHEST_PORT: Final = 65_535
STYLES: Final = {RowVerdict.HELD: "green", RowVerdict.NOT_HELD: "bold red", RowVerdict.NOT_PLAYED: "yellow"}
LOOPBACK: Final = "127.0.0.1:0"


def conformance(
    *,
    only: Annotated[
        list[str] | None,
        common.optional(
            "Play the rows with this id or pattern, such as `binds` or `*.missing`; may be repeated.",
            "--only",
            metavar="PATTERN",
        ),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the rows; nothing is sent.")] = False,
    decisions: Annotated[
        bool,
        typer.Option("--decisions", help="Also rows that Bindery decided where the specification is silent."),
    ] = False,
    move_clock: Annotated[
        bool,
        typer.Option("--move-clock", help="Move the demo's clock ahead for the rows that need days to pass."),
    ] = False,
    parallel: Annotated[
        int, typer.Option(min=1, max=64, metavar="N", help="How many rows to play at once.")
    ] = 8,
    listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where to receive webhooks; port 0 is a free one.")
    ] = LOOPBACK,
    endpoint: Annotated[
        str,
        common.optional("Register this address, which leads to --listen, such as a tunnel's.", metavar="URL"),
    ] = "",
    broker: Annotated[
        str, typer.Option(metavar="EMAIL", help="A broker of the partner.")
    ] = "broker@example.com",
    zone: Annotated[
        str, typer.Option(metavar="ZONE", help="Time zone in which the service reckons dates.")
    ] = "America/New_York",
    without_demo: Annotated[
        bool, typer.Option("--without-demo", help="Play although the address is no demo.")
    ] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show every row.")] = False,
    url: UrlOption = None,
    token: TokenOption = None,
    data: common.DataOption = None,
    as_json: common.JsonOption = False,
) -> int:
    """Play the specification row by row against any address that runs the demo's rules.

    It writes quotes, binds, uploads and webhooks, and makes a new webhook secret; its webhooks are removed.

    Example: bindery conformance --url http://127.0.0.1:8000 --only binds --only webhooks

    Exit codes:
    0  every row that was played held
    1  at least one row did not hold
    2  wrong use, nobody answers, or the token is refused
    """
    rows = chosen_rows(only or [], decisions=decisions)
    if not rows:
        common.refuse(
            "No row has such an id; --list shows them, with --decisions those of our decisions, too."
        )
    if listed:
        _show_rows(rows, as_json=as_json)
        return 0
    connection = Service(url, token, data, as_json).connection
    asked = Target(
        url=connection.address,
        token=connection.token,
        means=Means(zone=_zone(zone), broker=broker, moves_clock=move_clock),
        listen=_host_and_port(listen),
        endpoint=endpoint,
        without_demo=without_demo,
    )
    outcomes = common.run(_play(asked, rows, parallel))
    if as_json:
        common.print_json(_as_json(asked, outcomes))
    else:
        _show(asked, outcomes, verbose=verbose)
    return DIFFERENT if any(outcome.verdict is RowVerdict.NOT_HELD for outcome in outcomes) else 0


async def _play(asked: Target, rows: Sequence[SpecRow], parallel: int) -> list[PlayedRow]:
    place = {row.id: number for number, row in enumerate(rows)}
    outcomes = []
    bar = progress_bar("Playing", "{task.completed} of {task.total}  {task.description}", width=BAR_WIDTH)
    try:
        with common.stop_on_signal() as stop, bar:
            task = bar.add_task("", total=len(rows))
            async with (
                player(asked) as playing,
                aclosing(playing.play_all(rows, parallel=parallel)) as played,
            ):
                async for outcome in played:
                    outcomes.append(outcome)
                    bar.update(task, advance=1, description=outcome.row.area)
                    if stop.is_set():
                        raise KeyboardInterrupt
    except CannotPlay as fault:
        common.refuse(str(fault))
    return sorted(outcomes, key=lambda outcome: place[outcome.row.id])


def _show(asked: Target, outcomes: Sequence[PlayedRow], *, verbose: bool) -> None:
    counts = Counter((outcome.row.area, outcome.verdict) for outcome in outcomes)
    areas = list(dict.fromkeys(outcome.row.area for outcome in outcomes))
    right = ["HELD", "NOT HELD", "NOT PLAYED"]
    table = common.plain_table("AREA", *right, right=right)
    for area in areas:
        table.add_row(area, *(_count(counts[area, verdict], verdict) for verdict in RowVerdict))
    common.console.print(table)
    shown = [outcome for outcome in outcomes if verbose or outcome.verdict is RowVerdict.NOT_HELD]
    if shown:
        common.console.print()
        for outcome in shown:
            _show_outcome(outcome)
    _show_not_played(outcomes)
    total = Counter(outcome.verdict for outcome in outcomes)
    common.console.print()
    common.say(
        f"{common.counted(total[RowVerdict.HELD], 'row')} held, {total[RowVerdict.NOT_HELD]:,} did not, "
        f"{total[RowVerdict.NOT_PLAYED]:,} not played, at {asked.url}."
    )


def _count(count: int, verdict: RowVerdict) -> Text:
    return Text(f"{count:,}" if count else "-", style=STYLES[verdict] if count else "dim")


def _show_outcome(outcome: PlayedRow) -> None:
    row = outcome.row
    common.console.print(
        Text(f"{row.id}  ", style="bold") + Text(outcome.verdict, style=STYLES[outcome.verdict])
    )
    decided = " (our decision)" if row.decision else ""
    fields: list[tuple[str, str | Text]] = [
        ("Says", f"{row.sentence} [{row.section}]{decided}"),
        ("Request", outcome.request),
    ]
    if outcome.verdict is not RowVerdict.HELD:
        fields += [("Expected", _expected(row)), ("Found", outcome.why)]
    common.show_fields(fields)


def _show_not_played(outcomes: Sequence[PlayedRow]) -> None:
    reasons = Counter(outcome.why for outcome in outcomes if outcome.verdict is RowVerdict.NOT_PLAYED)
    if reasons:
        common.console.print()
    for reason, count in reasons.items():
        common.say(f"{common.counted(count, 'row')} not played: {reason}.")


def _show_rows(rows: Sequence[SpecRow], *, as_json: bool) -> None:
    if as_json:
        common.print_json({"rows": [_row_json(row) for row in rows]})
        return
    table = common.plain_table("ID", "SECTION", "SENTENCE", "EXPECTED")
    table.columns[0].no_wrap = True
    table.columns[0].min_width = max(len(row.id) for row in rows)  # an id is there to be copied
    common.console.print(
        common.filled(table, ((row.id, row.section, row.sentence, _expected(row)) for row in rows))
    )
    common.say("")
    common.say(f"{common.counted(len(rows), 'row')}.")


def _expected(row: SpecRow) -> str:
    return "; ".join(check.words for check in row.expect)


def _row_json(row: SpecRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "section": row.section,
        "sentence": row.sentence,
        "scene": row.scene or None,
        "expected": [check.words for check in row.expect],
        "decision": row.decision,
    }


def _as_json(asked: Target, outcomes: Sequence[PlayedRow]) -> dict[str, Any]:
    total = Counter(outcome.verdict for outcome in outcomes)
    return {
        "url": asked.url,
        "held": total[RowVerdict.HELD],
        "not_held": total[RowVerdict.NOT_HELD],
        "not_played": total[RowVerdict.NOT_PLAYED],
        "rows": [
            {
                **_row_json(outcome.row),
                "verdict": outcome.verdict.replace(" ", "_"),
                "why": outcome.why or None,
                "request": outcome.request or None,
                "status": outcome.answer.status if outcome.answer is not None else None,
            }
            for outcome in outcomes
        ],
    }


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        common.refuse(f"--zone takes a name such as America/New_York, not {name!r}.")


def _host_and_port(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isascii() or not port.isdecimal() or int(port[:6]) > HIGHEST_PORT:
        common.refuse(f"--listen takes HOST:PORT, not {text!r}.")
    return host.strip("[]"), int(port)
