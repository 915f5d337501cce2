"""`python -m bench [NAME …]`, or `make bench NAME …`: measure all goals or those named.

`--small N --large M` are the sizes of the portfolios that growth compares; `--folder DIR` keeps them.
"""

import argparse
import importlib
import sys
import traceback
from pathlib import Path

from rich.console import Console

NAMES = (
    "rating",
    "intake",
    "readiness",
    "burst",
    "documents",
    "deliveries",
    "processes",
    "tracing",
    "platform",
    "growth",
    "capacity",
    "changes",
    "book",
    "kept",
    "filings",
    "bordereaux",
    "idle",
)


def main() -> None:
    console = Console()
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--small", type=int)
    parser.add_argument("--large", type=int)
    parser.add_argument("--folder", type=Path)
    asked = vars(parser.parse_args())
    wanted = asked.pop("names") or list(NAMES)
    of_growth = {name: value for name, value in asked.items() if value is not None}
    if unknown := [name for name in wanted if name not in NAMES]:
        sys.exit(f"There is no benchmark {', '.join(unknown)}; there are {', '.join(NAMES)}.")
    broken = []
    for name in wanted:
        console.rule(f"[bold]{name}[/]", align="left")
        try:
            importlib.import_module(f"bench.{name}").main(**(of_growth if name == "growth" else {}))
        except Exception:  # noqa: BLE001 - the others can be measured all the same
            traceback.print_exc()
            broken.append(name)
    if broken:
        sys.exit(f"Broken off: {', '.join(broken)}.")


main()
