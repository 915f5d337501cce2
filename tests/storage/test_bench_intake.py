"""The indexes that `python -m bench platform` takes away: they exist, on tables that the intake writes."""

import asyncpg
from bench.platform_intake import FOR_PEOPLE


async def test_the_indexes_of_the_pages_are_on_tables_that_the_intake_writes(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        rows = await connection.fetch(
            "select indexname, tablename from pg_indexes where indexname = any($1::text[])", list(FOR_PEOPLE)
        )
    finally:
        await connection.close()

    assert {row["indexname"] for row in rows} == set(FOR_PEOPLE)
    assert {row["tablename"] for row in rows} <= {"companies", "submissions", "quotes"}
