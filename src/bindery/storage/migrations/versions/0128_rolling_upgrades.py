"""Which migrations ran, and which processes are alive, so that versions can work side by side."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0128"
down_revision = "0122"
step = "expand"


def upgrade() -> None:
    """Keep what an upgrade has to know before it takes anything away."""
    run_file("0128_rolling_upgrades.sql")
