"""A developer's proof sheets: every document in cases that are hard to print, and every part of a page."""

import sys
from pathlib import Path

# The invented companies are those of the tests.
sys.path.append(str(Path(__file__).parents[2] / "tests"))
