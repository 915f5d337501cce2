"""`python -m bench [NAME …]`: run the benchmarks, all of them or those named."""

import importlib
import sys

from rich.console import Console

NAMES = ("rating", "intake", "readiness", "documents", "deliveries")


def main() -> None:
    console = Console()
    wanted = sys.argv[1:] or list(NAMES)
    unknown = [name for name in wanted if name not in NAMES]
    if unknown:
        sys.exit(f"There is no benchmark {', '.join(unknown)}; there are {', '.join(NAMES)}.")
    for name in wanted:
        console.rule(f"[bold]{name}[/]", align="left")
        importlib.import_module(f"bench.{name}").main()


main()
