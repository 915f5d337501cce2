"""A notice when quotes become ready, for those who wait for them."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the notice."""
    run_file("0006_ready_notices.sql")
