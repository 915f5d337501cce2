"""Bordereaux that were frozen: what was reported to carriers of each month, and when it was sent."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0145"
down_revision = "0155"
step = "expand"


def upgrade() -> None:
    run_file("0145_bordereaux.sql")
