"""Broker-of-record letters."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0114"
down_revision = "0113"
step = "expand"


def upgrade() -> None:
    """Keep the letters by which insureds change their broker of record, and what was decided on them."""
    run_file("0114_record_letters.sql")
