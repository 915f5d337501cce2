from typing import Final

from bindery.domain.business_rules import BusinessRules
from bindery.domain.figures import bounds_of, days_to_figure
from bindery.storage.database import Database
from bindery.storage.operations import figures

MOST_AT_ONCE: Final = 100
"""Days that one run counts; after a long outage the next run continues."""


async def figure_days(database: Database, rules: BusinessRules, most: int = MOST_AT_ONCE) -> int:
    """Keep the figures of finished days that have none yet, the newest first; return how many those were."""
    zone = rules.zone
    async with database.reading() as tx:
        moment = await figures.first_moment(tx)
        first = None if moment is None else rules.day_of(moment)
        done = set() if first is None else await figures.figured_since(tx, first)
        missing = days_to_figure(first, done, now=tx.now, zone=zone)
    kept = 0
    for day in missing[:most]:
        start, end = bounds_of(day, zone)
        async with database.transaction() as tx:
            kept += await figures.keep(tx, day, await figures.count_between(tx, start, end))
    return kept
