"""From where users signed in before."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0101"
down_revision = "0100"
step = "expand"


def upgrade() -> None:
    """Remember the addresses from which users gave the right password."""
    run_file("0101_known_addresses.sql")
