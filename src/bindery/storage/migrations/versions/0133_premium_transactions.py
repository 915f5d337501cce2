"""Premium transactions, with those of the policies that there are."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0133"
down_revision = "0128"
step = "contract"


def upgrade() -> None:
    """Book what has happened to every policy so far, once no process is left that binds without booking."""
    run_file("0133_premium_transactions.sql")
