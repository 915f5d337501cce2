"""Partners, submissions, quotes, the journal, and the queue."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the first tables, then those of PgQueuer as `pgq sql install` prints them."""
    run_file("0001_ground.sql")
    run_file("0001_queue.sql")
