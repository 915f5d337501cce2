"""A term has one retroactive date, whatever its product."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Make one column of the two, and leave the list of products to the contract."""
    run_file("0013_retroactive.sql")
