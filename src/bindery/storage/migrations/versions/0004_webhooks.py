"""The event feed, webhooks and their deliveries, and mail that waits to be sent."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add what partners are told by."""
    run_file("0004_webhooks.sql")
