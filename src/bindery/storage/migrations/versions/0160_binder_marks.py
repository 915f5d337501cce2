"""When each binder reached the marks of its premium limit that it tells at."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0160"
down_revision = "0140"
step = "expand"


def upgrade() -> None:
    """Note marks by a trigger, so that processes of the version before raise and clear them too."""
    run_file("0160_binder_marks.sql")
