"""Other people's tools, where `make test-clients` puts them."""

import os
import subprocess
import sys
from pathlib import Path

TOOLS = Path(sys.prefix) / "clients"
NODE_MODULES = TOOLS / "js" / "node_modules"
FOLDERS = (TOOLS / "bin", NODE_MODULES / ".bin", Path(sys.executable).parent)
ENDS_WITHIN_S = 900.0
ANSWERS_WITHIN_S = 300.0
"""Nothing is measured here: a slow and busy machine does not reach either."""


def run_tool(
    *command: str | Path, folder: Path, timeout_s: float = ENDS_WITHIN_S, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a tool by its name in a folder, and return how it ended and what it printed."""
    name, *arguments = command
    found = [place / name for place in FOLDERS if (place / name).exists()]
    assert found, f"{name} is not installed: run make test-clients."
    return subprocess.run(
        [found[0], *arguments],
        cwd=folder,
        env={**os.environ, "PATH": os.pathsep.join([*map(str, FOLDERS), os.environ["PATH"]]), **variables},
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
