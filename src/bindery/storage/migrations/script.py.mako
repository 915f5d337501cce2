"""${message}."""

from bindery.storage.migrations.plain_sql import run_file

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
step = "expand"


def upgrade() -> None:
    run_file("${up_revision}.sql")
