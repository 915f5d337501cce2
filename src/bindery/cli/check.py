"""`bindery check`: whether everything is there that the service needs, line by line."""

from typing import Final

import typer
from rich.text import Text

from bindery.actions.timetable.check_service import check_service, worker_reports
from bindery.cli import common
from bindery.domain.service_check import CheckLine, Report, Verdict, differing
from bindery.own_database import database_dsn
from bindery.runtime import Runtime, running
from bindery.storage.database import UNAVAILABLE

SOMETHING_WRONG: Final = 1
STYLES: Final = {Verdict.OK: "green", Verdict.NOTE: "dim", Verdict.WRONG: "bold red"}


def check(*, data: common.DataOption = None, as_json: common.JsonOption = False) -> None:
    """Check what the service needs: database, mail, files, workers.

    It checks with the settings of this shell, and says what running workers found with theirs. Nothing is
    changed: a probe is written to the files and deleted. The exit code is 0 when nothing is wrong, else 1.
    """
    settings = common.settings_for(data)
    common.check_data_folder(settings)
    dsn = database_dsn(settings)

    async def work() -> tuple[Report, list[Report]]:
        async with running(common.at_kept_address(settings), dsn) as runtime:
            return await check_service(runtime), await _workers(runtime)

    own, workers = common.run(work())
    rows = [("here", line) for line in (*differing(own, workers), *own.lines)]
    rows += [(report.host, line) for report in workers for line in report.lines if line.to_do]
    wrong = sum(line.verdict is Verdict.WRONG for _, line in rows)
    if as_json:
        common.print_json(
            {
                "ok": not wrong,
                "checks": [
                    {
                        "name": line.name,
                        "verdict": line.verdict,
                        "found": line.found,
                        "to_do": line.to_do,
                        "where": where,
                    }
                    for where, line in rows
                ],
            }
        )
    else:
        common.print_table(["", "PART", "FOUND"], [_row(where, line) for where, line in rows])
        common.say("")
        common.say("Nothing is wrong." if not wrong else f"{common.counted(wrong, 'thing')} wrong.")
    if wrong:
        raise typer.Exit(SOMETHING_WRONG)


async def _workers(runtime: Runtime) -> list[Report]:
    try:
        async with runtime.database.reading() as tx:
            return await worker_reports(tx)
    except UNAVAILABLE:
        return []


def _row(where: str, line: CheckLine) -> list[str | Text]:
    found = line.found if where == "here" else f"{line.found} (a worker on {where})"
    return [
        Text(line.verdict, style=STYLES[line.verdict]),
        line.name,
        f"{found}. {line.to_do}" if line.to_do else found,
    ]
