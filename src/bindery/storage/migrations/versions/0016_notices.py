"""Notices of cancellation, lapse and reinstatement."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0016"
down_revision = "0014"


def upgrade() -> None:
    """Add what notices show, and leave the list of documents to the contract."""
    run_file("0016_notices.sql")
