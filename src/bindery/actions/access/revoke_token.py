from bindery.base.clock import Clock
from bindery.base.errors import NotFound
from bindery.storage.access import partners
from bindery.storage.database import Database


async def revoke_token(database: Database, clock: Clock, token_id: str) -> None:
    """Revoke a token: it stops working at once, in every process.

    Raises:
        NotFound: there is no such token.
    """
    async with database.transaction() as tx:
        is_known = await partners.revoke_token(tx, token_id, at=clock.real_now())
    if not is_known:
        raise NotFound("There is no such token.")
