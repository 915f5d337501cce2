"""Mailed links to set a new password, and two-step sign-in."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0108"
down_revision = "0107"
step = "expand"


def upgrade() -> None:
    """Keep links to set a new password, secrets of authenticator apps, and recovery codes."""
    run_file("0108_access.sql")
