"""Mails in HTML, the proof that they were sent, brokers' choices, digests and reminders."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0104"
down_revision = "0103"
step = "expand"


def upgrade() -> None:
    """Keep what was sent to whom, and what brokers want to be sent."""
    run_file("0104_mails.sql")
