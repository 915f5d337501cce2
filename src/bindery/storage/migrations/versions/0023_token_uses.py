"""When tokens were last used."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    """Add what operators see of the use of a token."""
    run_file("0023_token_uses.sql")
