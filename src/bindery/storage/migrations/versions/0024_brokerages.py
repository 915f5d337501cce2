"""The brokerages that brokers work for."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    """Add the name of a broker's firm, which papers show."""
    run_file("0024_brokerages.sql")
