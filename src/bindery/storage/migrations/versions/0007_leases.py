"""Leases on deliveries instead of couriers."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Let claims end by time."""
    run_file("0007_leases.sql")
