"""All tables, as the first 27 migrations left them."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0100"
down_revision = None
step = "expand"


def upgrade() -> None:
    """Make PgQueuer's tables as `pgq sql install` prints them, then ours, some of which refer to those."""
    run_file("0100_queue.sql")
    run_file("0100_baseline.sql")
