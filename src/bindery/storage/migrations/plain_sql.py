from importlib import resources

from alembic import op


def run_file(name: str) -> None:
    """Run a file of plain SQL from `versions/` inside the migration's transaction."""
    script = (resources.files("bindery.storage.migrations") / "versions" / name).read_text()
    bind = op.get_bind()
    # The driver prepares what goes through SQLAlchemy, one by one; its own `execute` takes a script.
    # A first statement makes SQLAlchemy open the transaction that the script then runs in.
    bind.exec_driver_sql("select 1")
    bind.connection.run_async(lambda connection: connection.execute(script))
