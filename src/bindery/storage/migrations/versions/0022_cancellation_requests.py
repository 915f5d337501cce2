"""Requests of partners to cancel a policy."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    """Add what is kept of a request, and its kind of case on the desk."""
    run_file("0022_cancellation_requests.sql")
