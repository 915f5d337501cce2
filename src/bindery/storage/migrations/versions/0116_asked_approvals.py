"""Decisions that wait for a second underwriter."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0116"
down_revision = "0115"
step = "expand"


def upgrade() -> None:
    """Keep what one underwriter asks another to approve, and give it a row of the queue."""
    run_file("0116_asked_approvals.sql")
