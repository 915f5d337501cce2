"""Policies whose domains are scanned again."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0105"
down_revision = "0104"
step = "expand"


def upgrade() -> None:
    """Watch the domains of policies that are in force, and keep what the scans show."""
    run_file("0105_watched_policies.sql")
