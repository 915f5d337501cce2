"""What companies are found by."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0107"
down_revision = "0106"
step = "expand"


def upgrade() -> None:
    """Keep the numbers, names, domains and contacts by which people search for a company."""
    run_file("0107_search.sql")
