"""`python -m bench [NAME …]`: run the benchmarks, all of them or those named."""

import importlib
import sys
import traceback

from rich.console import Console

NAMES = ("rating", "intake", "readiness", "burst", "documents", "deliveries")


def main() -> None:
    console = Console()
    wanted = sys.argv[1:] or list(NAMES)
    unknown = [name for name in wanted if name not in NAMES]
    if unknown:
        sys.exit(f"There is no benchmark {', '.join(unknown)}; there are {', '.join(NAMES)}.")
    broken = []
    for name in wanted:
        console.rule(f"[bold]{name}[/]", align="left")
        try:
            importlib.import_module(f"bench.{name}").main()
        except Exception:  # noqa: BLE001 - the others can be measured all the same
            traceback.print_exc()
            broken.append(name)
    if broken:
        sys.exit(f"Broken off: {', '.join(broken)}.")


main()
