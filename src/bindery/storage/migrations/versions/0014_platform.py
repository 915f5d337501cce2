"""People: users and their sign-ins, what waits on the underwriters' desk, and their notes."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add what the platform keeps."""
    run_file("0014_platform.sql")
