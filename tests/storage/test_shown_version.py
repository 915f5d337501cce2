import asyncio
import uuid

from support.binding import one_quoted
from support.service import Service

ADD_UPLOAD = """
insert into uploads (document_id, quote_id, name, content_type, size, sha256, uploaded_at, uploaded_by,
                     finding)
values ($1, $2, 'runs.png', 'image/png', 1, repeat('0', 64), now(), 'test', '{"verdict": "not_compared"}')
"""


async def test_an_upload_beside_a_change_of_its_quote_raises_the_version_after_it(service: Service) -> None:
    quote_id = uuid.UUID((await one_quoted(service))["quote_identifier"])
    pool = service.runtime.database.pool
    before = await pool.fetchval("select shown_version from quotes where quote_id = $1", quote_id)

    async with pool.acquire() as connection, connection.transaction():
        await connection.execute("update quotes set premium = premium where quote_id = $1", quote_id)
        upload = asyncio.create_task(pool.execute(ADD_UPLOAD, uuid.uuid4(), quote_id))
        async with asyncio.timeout(60):
            while not await pool.fetchval(
                "select count(*) from pg_stat_activity "
                "where wait_event_type = 'Lock' and datname = current_database()"
            ):
                assert not upload.done(), "the upload did not wait"
                await asyncio.sleep(0.02)
        between = await pool.fetchval("select shown_version from quotes where quote_id = $1", quote_id)
    await upload

    after = await pool.fetchval("select shown_version from quotes where quote_id = $1", quote_id)
    assert (between, after) == (before, before + 2)
