"""The words of names, by which companies are found."""

from bindery.storage.migrations.plain_sql import run_file

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    """Index names by runs of letters and digits, whatever stands between them."""
    run_file("0027_words_of_names.sql")
