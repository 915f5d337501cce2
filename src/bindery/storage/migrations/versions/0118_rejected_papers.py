"""Papers that were rejected with a text."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0118"
down_revision = "0117"
step = "expand"


def upgrade() -> None:
    """Keep what an underwriter wrote about a file that was not good enough."""
    run_file("0118_rejected_papers.sql")
