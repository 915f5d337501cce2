"""Indexes of what waits for a person."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add the indexes that the metrics are read from."""
    run_file("0010_backlog.sql")
