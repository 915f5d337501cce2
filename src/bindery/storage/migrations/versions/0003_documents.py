"""Generated documents, the packets they make up, and uploaded papers."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the tables of documents."""
    run_file("0003_documents.sql")
