"""The lists of operators that are sorted without an index read only what they are about."""

from bench.growth.explained import explaining

from bindery.storage.operations import overview
from support.service import Service


async def test_a_list_of_webhooks_does_not_read_those_that_were_removed(service: Service) -> None:
    pool = service.runtime.database.pool
    await pool.execute(
        """
        insert into webhooks (webhook_id, partner_id, endpoint, quote_level, policy_level, status, created_at)
        select gen_random_uuid(), partner_id, 'https://example.com/' || n, true, true,
               case when n <= 20 then 'active' else 'removed' end, now()
        from partners, generate_series(1, 20000) as n
        """
    )
    await pool.execute("vacuum analyze webhooks")

    async with explaining(service) as scene, scene.act() as plans, scene.runtime.database.reading() as tx:
        found = await overview.list_webhooks(tx, cursor=None, limit=50)

    (plan,) = plans
    assert len(found.rows) == 20
    assert "webhooks" not in plan.scanned
    assert "one_webhook_for_an_endpoint" in plan.indexes
    assert plan.buffers < 100
