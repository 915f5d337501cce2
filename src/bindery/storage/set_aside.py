"""Setting everything in the database aside, so that it starts over next to it."""

from typing import Final, TypeAlias

import asyncpg

SCHEMA: Final = "public"
QUEUE_SCHEMA: Final = "pgq"
KEPT: Final = {
    "partners": "partner_id",
    "brokers": "broker_id",
    "tokens": None,
    "users": "user_id",
    "seal_certificates": None,
    "deeds": "deed_id",
}
"""The tables of partners, users, seals and who did what, with the number that each counts up."""

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"


async def count_others(connection: Connection) -> int:
    statement = """
    select count(*) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
    """
    counted: int = await connection.fetchval(statement)
    return counted


async def set_aside(connection: Connection, name: str) -> None:
    """Rename what holds our tables to `name`, and leave an empty place behind.

    Raises:
        asyncpg.InsufficientPrivilegeError: the account does not own it.
    """
    async with connection.transaction():
        await connection.execute(f'alter schema {SCHEMA} rename to "{name}"')
        await connection.execute(f'alter schema {QUEUE_SCHEMA} rename to "{name}_queue"')
        await connection.execute(f"create schema {SCHEMA}")


async def let_in_again(connection: Connection, name: str) -> None:
    """Copy everyone's access and the seals from what was set aside: tokens and sealed files stay valid."""
    async with connection.transaction():
        for table, number in KEPT.items():
            statement = f'insert into {table} overriding system value select * from "{name}".{table}'
            await connection.execute(statement)
            if number is not None:
                sequence = f"pg_get_serial_sequence('{table}', '{number}')"
                await connection.execute(f"select setval({sequence}, max({number})) from {table}")
