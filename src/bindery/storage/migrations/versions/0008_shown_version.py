"""The version of what is shown of a quote, and the receipts of binds."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Count what is shown, and keep what was answered."""
    run_file("0008_shown_version.sql")
