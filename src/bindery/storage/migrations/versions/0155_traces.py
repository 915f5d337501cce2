"""Where the trace of an event stood, for the deliveries that tell of it."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0155"
down_revision = "0134"
step = "expand"


def upgrade() -> None:
    """Let a delivery name its trace."""
    run_file("0155_traces.sql")
