from pathlib import Path

import pytest

from support.processes import Program
from support.service import SECRET


@pytest.fixture
def program(dsn: str, tmp_path: Path) -> Program:
    """The command line on the test's own database, with the secret of the test's own service."""
    return Program(tmp_path, {"BINDERY_DATABASE_URL": dsn, "BINDERY_SECRET_KEY": SECRET})
