"""How often something is tried with a link and from an address; the counts of sign-ins are kept there too."""

from collections.abc import Mapping

from bindery.domain.signing.client_link import TRIES_COUNT_FOR
from bindery.storage.database import Tx

_HOLD = """
select pg_advisory_xact_lock(n)
from (select hashtextextended(key, 0) as n from unnest($1::text[]) as key order by n) as held
"""
_SPEND = """
with recent as (
    select k.key, k.most, count(f.at) as tried
    from unnest($1::text[], $2::int[]) as k(key, most)
    left join sign_in_failures f on f.key = k.key and f.at > $4
    group by k.key, k.most
), spent as (
    insert into sign_in_failures (key, at)
    select key, $3 from recent where not exists (select from recent where tried >= most)
    returning key
)
select exists (select from spent)
"""


async def spend(tx: Tx, limits: Mapping[str, int]) -> bool:
    """Count a try under each key before anything is looked at; False where one has too many already."""
    # First and by itself: a statement counts what was there when it began, not when its lock was free.
    await tx.execute(_HOLD, list(limits))
    at = tx.real_now
    await tx.execute("delete from sign_in_failures where at < $1", at - TRIES_COUNT_FOR)
    keys, most = list(limits), list(limits.values())
    return await tx.value(bool, _SPEND, keys, most, at, at - TRIES_COUNT_FOR)
