"""What keeps jobs from being lost, and their order fair."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add what jobs are found and ordered by."""
    run_file("0005_jobs.sql")
