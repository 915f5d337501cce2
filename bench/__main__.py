"""`python -m bench [NAME …] [--docs]`: run all benchmarks or those named, and draw their pictures."""

import importlib
import sys
import traceback

from rich.console import Console

DRAWN = frozenset({"burst"})
NAMES = ("rating", "intake", "readiness", "burst", "documents", "deliveries")


def main() -> None:
    console = Console()
    draws = "--docs" in sys.argv
    wanted = [name for name in sys.argv[1:] if name != "--docs"] or list(NAMES)
    unknown = [name for name in wanted if name not in NAMES]
    if unknown:
        sys.exit(f"There is no benchmark {', '.join(unknown)}; there are {', '.join(NAMES)}.")
    broken = []
    for name in wanted:
        console.rule(f"[bold]{name}[/]", align="left")
        try:
            measure = importlib.import_module(f"bench.{name}").main
            measure(**({"write_docs": True} if draws and name in DRAWN else {}))
        except Exception:  # noqa: BLE001 - the others can be measured all the same
            traceback.print_exc()
            broken.append(name)
    if broken:
        sys.exit(f"Broken off: {', '.join(broken)}.")


main()
