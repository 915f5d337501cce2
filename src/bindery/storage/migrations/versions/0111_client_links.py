"""Links by which a client chooses, answers and signs, and the signatures that were made there."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0111"
down_revision = "0110"
step = "expand"


def upgrade() -> None:
    """Keep links to clients, the codes that prove an address, and signatures."""
    run_file("0111_client_links.sql")
