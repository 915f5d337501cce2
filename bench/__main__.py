"""`python -m bench [NAME …]`: run all benchmarks or those named.

`--docs` draws their pictures. `--small N --large M` are the sizes of the portfolios that growth compares, and
`--folder DIR` is where it keeps them for the next time.
"""

import argparse
import importlib
import sys
import traceback
from pathlib import Path

from rich.console import Console

DRAWN = frozenset({"burst"})
NAMES = (
    "rating",
    "intake",
    "readiness",
    "burst",
    "documents",
    "deliveries",
    "processes",
    "platform",
    "streams",
    "growth",
    "idle",
)


def main() -> None:
    console = Console()
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--docs", action="store_true")
    parser.add_argument("--small", type=int)
    parser.add_argument("--large", type=int)
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    wanted = asked.names or list(NAMES)
    given = {name: getattr(asked, name) for name in ("small", "large", "folder")}
    of_growth = {name: value for name, value in given.items() if value is not None}
    unknown = [name for name in wanted if name not in NAMES]
    if unknown:
        sys.exit(f"There is no benchmark {', '.join(unknown)}; there are {', '.join(NAMES)}.")
    broken = []
    for name in wanted:
        console.rule(f"[bold]{name}[/]", align="left")
        try:
            measure = importlib.import_module(f"bench.{name}").main
            measure(
                **({"write_docs": True} if asked.docs and name in DRAWN else {}),
                **(of_growth if name == "growth" else {}),
            )
        except Exception:  # noqa: BLE001 - the others can be measured all the same
            traceback.print_exc()
            broken.append(name)
    if broken:
        sys.exit(f"Broken off: {', '.join(broken)}.")


main()
