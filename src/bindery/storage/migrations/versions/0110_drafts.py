"""Quotes entered by hand, before they are sent."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0110"
down_revision = "0109"
step = "expand"


def upgrade() -> None:
    """Keep what brokers typed into quotes that they have not sent yet."""
    run_file("0110_drafts.sql")
