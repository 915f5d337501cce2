"""What underwriters decided on renewals."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0119"
down_revision = "0118"
step = "expand"


def upgrade() -> None:
    """Keep whether a renewal is held for an underwriter, or is not made at all."""
    run_file("0119_renewal_rulings.sql")
