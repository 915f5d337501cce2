"""How long jobs took, webhooks that are paused, invitations, and what workers say of themselves."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0122"
down_revision = "0121"
step = "expand"


def upgrade() -> None:
    """Keep what operators look up afterward."""
    run_file("0122_operations.sql")
