"""What documents show is frozen with the offer, the bind or the issuance; they are made later."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add the facts of packets."""
    run_file("0011_frozen_facts.sql")
