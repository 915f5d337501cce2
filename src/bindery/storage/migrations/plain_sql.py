from importlib import resources

from alembic import op


def run_file(name: str) -> None:
    """Run a file of plain SQL from `versions/` inside the caller's transaction."""
    script = (resources.files("bindery.storage.migrations") / "versions" / name).read_text()
    # The driver prepares statements that go through SQLAlchemy, one by one; its own `execute` takes a script.
    op.get_bind().connection.run_async(lambda connection: connection.execute(script))
