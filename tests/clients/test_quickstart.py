"""The timed quickstart in TypeScript; in the other languages it is run by `make test`."""

import re
import subprocess
import sys

from support.client_tools import ENDS_WITHIN_S
from support.processes import Running, kept_variables
from support.source_tree import ROOT


def test_the_quickstart_in_typescript_leads_to_a_policy_on_the_disk(demo: Running) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tools.quickstart", "typescript", "--url", demo.url],
        cwd=ROOT,
        env={**kept_variables(), "BINDERY_TOKEN": demo.token},
        capture_output=True,
        text=True,
        timeout=ENDS_WITHIN_S,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert re.fullmatch(r"TypeScript +[\d.]+ s  policy\.pdf, \d{3,} kB\n", done.stdout)
