"""News for operators."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    """Tell open pages when a job fails for good and when a webhook begins to fail."""
    run_file("0025_ops_news.sql")
