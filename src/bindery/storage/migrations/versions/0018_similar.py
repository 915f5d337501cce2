"""The sector of an applicant, to find cases that are like one."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Add the sector of submissions."""
    run_file("0018_similar.sql")
