from bindery.base.errors import NotFound
from bindery.runtime import Runtime
from bindery.storage.access import partners


async def revoke_token(runtime: Runtime, token_id: str) -> None:
    """Revoke a token: it stops working at once, in every process.

    Raises:
        NotFound: there is no such token.
    """
    async with runtime.database.transaction() as tx:
        is_known = await partners.revoke_token(tx, token_id, at=runtime.clock.real_now())
    if not is_known:
        raise NotFound("There is no such token.")
