"""Benchmarks and long runs; those that start real processes share the tests' `support` package."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))
