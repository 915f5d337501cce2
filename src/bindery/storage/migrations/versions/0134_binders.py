"""Carriers, binders and their sections, and what of them each premium transaction is written on."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0134"
down_revision = "0123"
step = "contract"


def upgrade() -> None:
    """Keep binders, once no process is left that binds without asking them."""
    run_file("0134_binders.sql")
