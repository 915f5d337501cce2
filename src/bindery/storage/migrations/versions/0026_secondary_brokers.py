"""The secondary broker of a submission, whose company it is too."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    """Add the address of the secondary broker, which brokers find their own companies by."""
    run_file("0026_secondary_brokers.sql")
