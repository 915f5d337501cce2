"""Identifiers of version 0.1 belong to a partner."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Assign each old identifier to the partner of what it stands for."""
    run_file("0009_legacy_partners.sql")
