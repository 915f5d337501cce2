"""What pages may cost: a short version of `python -m bench platform`."""

from pathlib import Path

from bench.platform import MOST_GROWTH, STATEMENTS
from bench.platform_pages import cost_of, office, open_cases

HARD_LIMIT_BYTES = 150_000
LARGEST = {"questions": 60_000}
MOST_BUFFERS_OF_THE_QUEUE = 120


async def test_pages_keep_to_their_budgets_and_the_queue_does_not_grow(dsn: str, tmp_path: Path) -> None:
    async with office(dsn, tmp_path) as place:
        await open_cases(dsn, 300)
        few, today = [
            await cost_of(place, place.visits[page], dsn=dsn, times=1) for page in ("queue", "today")
        ]
        await open_cases(dsn, 5_700)
        many = {name: await cost_of(place, visit, dsn=dsn, times=1) for name, visit in place.visits.items()}

    assert many["queue"].buffers <= max(few.buffers * MOST_GROWTH, MOST_BUFFERS_OF_THE_QUEUE)
    # All of them are this broker's own, and the first hundred are looked at.
    assert many["today"].buffers <= today.buffers * MOST_GROWTH
    assert {
        page: cost.statements for page, cost in many.items() if cost.statements > STATEMENTS.get(page, 12)
    } == {}
    too_large = {
        page: cost.html_bytes
        for page, cost in many.items()
        if cost.html_bytes > LARGEST.get(page, HARD_LIMIT_BYTES)
    }
    assert too_large == {}
