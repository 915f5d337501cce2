"""Open pages: what tells them of changes and of a sign-out, and whether a user uses keys."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Add the notices and the choice."""
    run_file("0017_live.sql")
