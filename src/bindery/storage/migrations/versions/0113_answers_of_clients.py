"""Answers of clients that come into a draft."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0113"
down_revision = "0112"
step = "expand"


def upgrade() -> None:
    """Keep when a client's answers came into the draft that the questions are of."""
    run_file("0113_answers_of_clients.sql")
