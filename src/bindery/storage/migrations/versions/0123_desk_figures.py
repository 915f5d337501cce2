"""Figures of what underwriters add, offer and return."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0123"
down_revision = "0133"
step = "expand"


def upgrade() -> None:
    """Count counter-offers, subjectivities and returned premium apart."""
    run_file("0123_desk_figures.sql")
