"""Later versions of documents, and how contingencies end."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0102"
down_revision = "0101"
step = "contract"


def upgrade() -> None:
    """Keep the facts of each version of a document, and say how each contingency was closed."""
    run_file("0102_editions.sql")
