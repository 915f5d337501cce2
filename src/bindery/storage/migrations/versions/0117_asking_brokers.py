"""Questions to brokers."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0117"
down_revision = "0116"
step = "expand"


def upgrade() -> None:
    """Keep questions of underwriters to brokers, and stop the clock of a case that waits for an answer."""
    run_file("0117_asking_brokers.sql")
