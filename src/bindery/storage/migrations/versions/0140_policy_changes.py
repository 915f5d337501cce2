"""Changes of policies during their term, and the premium transactions that they book."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0140"
down_revision = "0150"
step = "expand"


def upgrade() -> None:
    """Keep changes, before any process is left out that knows them."""
    run_file("0140_policy_changes.sql")
