"""What Today needs: companies that brokers looked at, and what each partner's brokers owe, by day."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0106"
down_revision = "0105"
step = "expand"


def upgrade() -> None:
    """Keep who looked at which company, and find what is due for one partner."""
    run_file("0106_today.sql")
