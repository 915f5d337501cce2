"""The event feed, webhooks, their secrets and deliveries."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add what partners are told by."""
    run_file("0004_webhooks.sql")
