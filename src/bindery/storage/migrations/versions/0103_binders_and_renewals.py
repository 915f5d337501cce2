"""Binders whose files came in time, and what a renewal shows of its policy."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0103"
down_revision = "0102"
step = "expand"


def upgrade() -> None:
    """Record when the files of a binder came in, and notify open pages of uploads."""
    run_file("0103_binders_and_renewals.sql")
