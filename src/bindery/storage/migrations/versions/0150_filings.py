"""Which filings were made with the states, and who follows their due dates in a calendar."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0150"
down_revision = "0145"
step = "expand"


def upgrade() -> None:
    """Keep what was filed, and the addresses of calendars."""
    run_file("0150_filings.sql")
