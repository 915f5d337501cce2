"""Letters of authority."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0115"
down_revision = "0114"
step = "expand"


def upgrade() -> None:
    """Keep how far each underwriter may decide alone."""
    run_file("0115_authority.sql")
