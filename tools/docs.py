"""Write what is generated from the program, or say which of them are stale.

python -m tools.docs            writes them
python -m tools.docs --check    exits with 1 and names those that differ
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from tools.client_samples import client_samples
from tools.dashboards import DASHBOARDS, dashboard_json
from tools.error_codes_page import codes_module, error_codes_page
from tools.lifecycle_page import lifecycle_page
from tools.plain_client import plain_client
from tools.settings_page import settings_page

ROOT: Final = Path(__file__).parent.parent

GENERATED: Final[Mapping[str, Callable[[], str]]] = {
    **{f"deploy/dashboards/{name}.json": partial(dashboard_json, name) for name in DASHBOARDS},
    "docs/error-codes.md": error_codes_page,
    "docs/lifecycle.md": lifecycle_page,
    "docs/settings.md": settings_page,
    "src/bindery/api/client_samples.json": client_samples,
    "src/bindery/client/plain.py": plain_client,
    "src/bindery/client/plain_changes.py": partial(plain_client, "asynchronous_changes.py"),
    "src/bindery/client/plain_signatures.py": partial(plain_client, "asynchronous_signatures.py"),
    "src/bindery/client/plain_webhooks.py": partial(plain_client, "asynchronous_webhooks.py"),
    "src/bindery/contract/codes.py": codes_module,
}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.docs", description="What is generated from the program."
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 when anything is stale"
    )
    parser.add_argument(
        "--into", type=Path, default=ROOT, metavar="DIR", help="the folder; this project when not given"
    )
    asked = parser.parse_args(arguments)
    generated = {name: write() for name, write in GENERATED.items()}
    stale = [name for name, content in generated.items() if _content(asked.into / name) != content]
    if asked.check:
        for name in stale:
            sys.stderr.write(f"{name} is stale: run make docs\n")
        return 1 if stale else 0
    for name in stale:
        path = asked.into / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(generated[name], "utf-8")
        sys.stdout.write(f"wrote {name}\n")
    return 0


def _content(path: Path) -> str | None:
    return path.read_text("utf-8") if path.is_file() else None


if __name__ == "__main__":
    sys.exit(main())
