"""Many deliveries to many endpoints, some dead and some slow, while workers are killed all the time.

`python -m bench.soak_webhooks [DELIVERIES]`: every live endpoint must get every event at least once and in
order for each quote, with less than one per cent of them twice. Ends with 1 where that is not so.
"""

import asyncio
import itertools
import random
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import httpx
from rich.console import Console
from rich.table import Table

from bench.town import Town, receiver, town

DELIVERIES = 50_000
ENDPOINTS = 100
DEAD = 10
SLOW = 5
EVENTS_OF_A_QUOTE = 5
WORKERS = 2
KILL_EVERY_S = 5.0
KILL_EVERY = 2_500
"""A kill repeats what one worker had on its way, however slow the machine: this many lie between two
kills."""
MOST_TWICE = 0.01


def endpoints(address: str) -> list[str]:
    kinds = ["dead"] * DEAD + ["slow"] * SLOW + ["fast"] * (ENDPOINTS - DEAD - SLOW)
    return [f"{address}/{kind}/{number}" for number, kind in enumerate(kinds)]


def start_worker(place: Town) -> "subprocess.Popen[bytes]":
    command = [str(Path(sys.executable).with_name("bindery")), "work"]
    return subprocess.Popen(command, env=place.variables)


async def keep_killing(place: Town, done: asyncio.Event, console: Console) -> int:
    """Kill one worker after the other without warning, and start another in its place; return how many."""
    workers = [start_worker(place) for _ in range(WORKERS)]
    chance = random.Random(1)
    kills = 0
    next_at = 0
    try:
        while not done.is_set():
            try:
                await asyncio.wait_for(done.wait(), KILL_EVERY_S * chance.uniform(0.8, 1.2))
            except TimeoutError:
                finished = await place.finished()
                if finished < next_at:
                    continue
                next_at = finished + KILL_EVERY
                victim = workers.pop(0)
                victim.kill()
                victim.wait()
                workers.append(start_worker(place))
                kills += 1
                console.print(f"killed {kills}, pending {await place.pending():,}", style="dim")
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
    return kills


async def live_left(place: Town) -> int:
    count: int = await place.runtime.database.pool.fetchval(
        """
        select count(*) from deliveries d join webhooks w using (webhook_id)
        where w.endpoint not like '%/dead/%'
        """
    )
    return count


async def soak(deliveries: int) -> bool:
    console = Console()
    async with town() as place:
        with receiver() as address:
            await place.register(endpoints(address))
            quotes = await place.quotes(max(1, deliveries // ENDPOINTS // EVENTS_OF_A_QUOTE))
            done = asyncio.Event()
            killing = asyncio.create_task(keep_killing(place, done, console))
            started = time.perf_counter()
            for quote_id in quotes:
                await place.tell(quote_id, EVENTS_OF_A_QUOTE)
            while await live_left(place):  # noqa: ASYNC110 - the database tells nobody
                await asyncio.sleep(0.1)
            seconds = time.perf_counter() - started
            done.set()
            kills = await killing
            async with httpx.AsyncClient(timeout=60) as http:
                lines = (await http.get(f"{address}/log")).text.splitlines()
        events = await place.runtime.database.pool.fetchval(
            "select (select count(*) from events) + (select count(*) from unplaced_events)"
        )
    return report(console, lines, events=events, kills=kills, seconds=seconds)


def report(console: Console, lines: list[str], *, events: int, kills: int, seconds: float) -> bool:
    """Look at what arrived, line by line, and say whether all is well."""
    arrived: defaultdict[str, list[tuple[str, str, int]]] = defaultdict(list)
    for line in lines:
        path, message_id, quote_id, sequence = line.split(" ")
        arrived[path].append((message_id, quote_id, int(sequence)))
    live = {path: told for path, told in arrived.items() if not path.startswith("/dead/")}
    missing = sum(events - len({message_id for message_id, _, _ in told}) for told in live.values())
    missing += events * (ENDPOINTS - DEAD - len(live))
    twice = sum(len(told) - len({message_id for message_id, _, _ in told}) for told in live.values())
    disordered = 0
    for told in live.values():
        by_quote: defaultdict[str, list[int]] = defaultdict(list)
        for _, quote_id, number in told:
            by_quote[quote_id].append(number)
        disordered += sum(
            later < earlier for row in by_quote.values() for earlier, later in itertools.pairwise(row)
        )
    total = sum(len(told) for told in live.values())
    share = twice / max(total, 1)
    tried_dead = Counter(path.split("/")[1] for path in arrived for _ in arrived[path])["dead"]
    table = Table("webhooks under fire", "", box=None)
    table.add_row("deliveries to live endpoints", f"{total:,} in {seconds:.0f} s, {kills} kills")
    table.add_row("tries of dead endpoints", f"{tried_dead:,}")
    table.add_row("missing", f"{missing:,}")
    table.add_row("out of order", f"{disordered:,}")
    table.add_row("more than once", f"{twice:,} ({share:.2%}, at most {MOST_TWICE:.0%})")
    console.print(table)
    return not missing and not disordered and share < MOST_TWICE


def main() -> None:
    deliveries = int(sys.argv[1]) if len(sys.argv) > 1 else DELIVERIES
    sys.exit(0 if asyncio.run(soak(deliveries)) else 1)


if __name__ == "__main__":
    main()
