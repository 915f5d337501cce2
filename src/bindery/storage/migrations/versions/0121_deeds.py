"""Who did what, tokens with a label, brokers that were removed."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0121"
down_revision = "0119"
step = "expand"


def upgrade() -> None:
    """Keep what operators do, for ever, and more about tokens and brokers."""
    run_file("0121_deeds.sql")
