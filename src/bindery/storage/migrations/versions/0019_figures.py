"""Figures of finished days, which the operators' dashboard is drawn from."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Add the figures of days."""
    run_file("0019_figures.sql")
