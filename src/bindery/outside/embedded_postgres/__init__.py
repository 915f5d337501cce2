"""A PostgreSQL of our own in the data folder, for when no `BINDERY_DATABASE_URL` is given."""

from bindery.outside.embedded_postgres.revival import revive
from bindery.outside.embedded_postgres.server import (
    EmbeddedServer,
    ServerStatus,
    ensure_running,
    home_of_another_account,
    status,
    stop,
    stop_unless_used,
)

__all__ = [
    "EmbeddedServer",
    "ServerStatus",
    "ensure_running",
    "home_of_another_account",
    "revive",
    "status",
    "stop",
    "stop_unless_used",
]
