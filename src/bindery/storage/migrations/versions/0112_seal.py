"""Certificates that sealed documents."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0112"
down_revision = "0111"
step = "expand"


def upgrade() -> None:
    """Keep the key that seals documents, and every certificate that ever did."""
    run_file("0112_seal.sql")
