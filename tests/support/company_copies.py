"""More companies like one that went through the service: without their documents and journal."""

from typing import Final

from support.service import Service

COLUMNS: Final = """
select column_name from information_schema.columns
where table_schema = current_schema and table_name = $1 and is_generated = 'NEVER' and is_identity = 'NO'
"""
FIRST: Final = 200_000_000


async def copy_company(service: Service, company_id: str, count: int, *, name: str) -> None:
    """Add copies of a company, each with a number and a name of its own, newer than it."""
    changed = {
        "companies": {"company_id": "$3 + n"},
        "submissions": {
            "company_id": "$3 + n",
            "submission_id": "overlay(md5(submission_id::text || n) placing '7' from 13 for 1)::uuid",
            "name": "$4 || ' ' || n",
        },
        "quotes": {
            "company_id": "$3 + n",
            "submission_id": "overlay(md5(submission_id::text || n) placing '7' from 13 for 1)::uuid",
            "quote_id": "overlay(md5(quote_id::text || n) placing '7' from 13 for 1)::uuid",
        },
    }
    async with service.runtime.database.pool.acquire() as connection, connection.transaction():
        # What triggers and keys see to was done for the one that is copied.
        await connection.execute("set local session_replication_role = replica")
        for table, values in changed.items():
            columns = [row[0] for row in await connection.fetch(COLUMNS, table)]
            later = (
                {"created_at": "created_at + n * interval '1 millisecond'"} if "created_at" in columns else {}
            )
            told = ", ".join({**values, **later}.get(column, column) for column in columns)
            await connection.execute(
                f"with given as (select $3::int, $4::text) insert into {table} ({', '.join(columns)}) "
                f"select {told} from {table}, generate_series(1, $2::int) n where company_id = $1",
                int(company_id),
                count,
                FIRST,
                name,
            )
