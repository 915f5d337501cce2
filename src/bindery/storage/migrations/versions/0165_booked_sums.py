"""What was booked by state, month and charge, kept as it is booked."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0165"
down_revision = "0160"
step = "expand"


def upgrade() -> None:
    """Sum the ledger; the database itself sees to it, whichever version books."""
    run_file("0165_booked_sums.sql")
