"""The timed quickstart: from an empty folder to a bound policy's PDF, as its page says."""

import re
import subprocess
import sys

import pytest

from support.processes import kept_variables
from support.source_tree import ROOT

pytestmark = pytest.mark.long


def test_the_quickstart_leads_from_nothing_to_a_policy_on_the_disk() -> None:
    """The script starts a demo as `make demo` does, takes the packages from it, and ends with a policy."""
    done = subprocess.run(
        [sys.executable, "-m", "tools.quickstart", "--lend"],
        cwd=ROOT,
        env=kept_variables(),
        capture_output=True,
        text=True,
        timeout=540,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert re.fullmatch(
        r"demo +[\d.]+ s  from an empty folder to ready\n"
        r"curl +[\d.]+ s  policy\.pdf, \d{3,} kB\n"
        r"Python +[\d.]+ s  policy\.pdf, \d{3,} kB; [\d.]+ s of it to install the package\n"
        r"TypeScript +[\d.]+ s  policy\.pdf, \d{3,} kB; [\d.]+ s of it to install the package\n",
        done.stdout,
    )
