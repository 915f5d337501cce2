"""Binds, policies and renewals."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add what the life after the quote needs."""
    run_file("0002_binding.sql")
