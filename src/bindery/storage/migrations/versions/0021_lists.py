"""Lists of quotes, policies and companies for partners, and search by their own metadata."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0021"
down_revision = "0019"


def upgrade() -> None:
    """Add the indexes of the lists, and what can be searched by."""
    run_file("0021_lists.sql")
