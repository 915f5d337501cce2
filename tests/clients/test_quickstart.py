"""The timed quickstart in Python, with everything that the package needs installed anew."""

import re
import subprocess
import sys

from support.client_tools import ENDS_WITHIN_S, TOOLS
from support.processes import Running, kept_variables
from support.source_tree import ROOT

OFFLINE = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(TOOLS / "wheels")}


def test_the_quickstart_in_python_leads_to_a_policy_on_the_disk(demo: Running) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.quickstart", "python", "--url", demo.url],
        cwd=ROOT,
        env={**kept_variables(), **OFFLINE, "BINDERY_TOKEN": demo.token},
        capture_output=True,
        text=True,
        timeout=ENDS_WITHIN_S,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert re.fullmatch(
        r"Python +[\d.]+ s  policy\.pdf, \d{3,} kB; [\d.]+ s of it to install the package\n", done.stdout
    )
