"""Certificates for holders."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0109"
down_revision = "0108"
step = "expand"


def upgrade() -> None:
    """Keep the certificates that were issued for holders, with the facts of their day."""
    run_file("0109_certificates.sql")
