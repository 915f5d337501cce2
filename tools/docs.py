"""Write the generated parts of `docs/`, or say which of them are stale.

python -m tools.docs            writes them
python -m tools.docs --check    exits with 1 and names those that differ
"""

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from tools.error_codes_page import error_codes_page
from tools.flow_picture import draw_flow
from tools.lifecycle_page import lifecycle_page
from tools.lifecycle_picture import draw_lifecycle
from tools.settings_page import settings_page

DOCS: Final = Path(__file__).parent.parent / "docs"

GENERATED: Final[Mapping[str, Callable[[], str]]] = {
    "error-codes.md": error_codes_page,
    "flow.svg": draw_flow,
    "lifecycle.md": lifecycle_page,
    "lifecycle.svg": draw_lifecycle,
    "settings.md": settings_page,
}


def main() -> int:
    """Write or check, and give the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.docs", description="The generated parts of docs/.")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 when anything is stale"
    )
    parser.add_argument(
        "--into", type=Path, default=DOCS, metavar="DIR", help="the folder; docs/ when not given"
    )
    asked = parser.parse_args()
    stale = [name for name, write in GENERATED.items() if _content(asked.into / name) != write()]
    if asked.check:
        for name in stale:
            sys.stderr.write(f"docs/{name} is stale: run make docs\n")
        return 1 if stale else 0
    for name in stale:
        (asked.into / name).write_text(GENERATED[name](), "utf-8")
        sys.stdout.write(f"wrote docs/{name}\n")
    return 0


def _content(path: Path) -> str | None:
    return path.read_text("utf-8") if path.is_file() else None


if __name__ == "__main__":
    sys.exit(main())
