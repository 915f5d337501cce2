"""Indexes that keep the cost of a feed, a replay and a purge the same while the portfolio grows."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Add the indexes that were missing at a million quotes."""
    run_file("0012_growth.sql")
