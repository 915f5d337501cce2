"""A database that earlier tests had is as good as a new copy, or is not lent again."""

from pathlib import Path

import asyncpg

from support.kept_databases import KeptDatabases
from support.service import serving


async def test_rows_sequences_and_settings_are_those_of_the_template_again(
    kept: KeptDatabases, template: str, tmp_path: Path
) -> None:
    async with kept.lent(template) as first, serving(first, tmp_path) as service:
        pool = service.runtime.database.pool
        before = await service.runtime.database.find_tables()
        await service.submit()
        await pool.execute("update service_clock set ahead = '2 days'")
        await pool.execute("delete from alembic_version")
        await pool.execute("set statement_timeout = '3s'")

    async with kept.lent(template) as second, serving(second, tmp_path) as after:
        assert second == first
        assert after.partner.partner_id == service.partner.partner_id
        assert (await after.count("partners"), await after.count("submissions")) == (1, 0)
        assert await after.count("pgq.pgqueuer") == 0
        assert await after.runtime.database.find_tables() == before
        assert (await after.runtime.database.now() - after.runtime.clock.real_now()).days <= 0
        assert await after.runtime.database.pool.fetchval("show statement_timeout") == "0"


async def test_a_database_whose_tables_were_changed_is_not_lent_again(
    kept: KeptDatabases, template: str
) -> None:
    async with kept.lent(template) as first:
        connection = await asyncpg.connect(first)
        await connection.execute("alter table quotes disable trigger user")
        await connection.close()

    async with kept.lent(template) as second:
        assert second != first


async def test_a_database_that_somebody_still_uses_is_not_lent_again(
    kept: KeptDatabases, template: str
) -> None:
    async with kept.lent(template) as first:
        left_open = await asyncpg.connect(first)

    async with kept.lent(template) as second:
        assert second != first
    left_open.terminate()
