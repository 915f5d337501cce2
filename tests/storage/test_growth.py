"""Hot paths and sweeps cost by what they are about, not by how much there is.

The same as `python -m bench growth`, only smaller. Pages are counted, not seconds: they are the same on every
machine.
"""

import asyncio
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from bench.growth.measure import Cost, measure_probes, scans_of
from bench.growth.portfolio import as_its_partner, grow
from bench.growth.probes import PROBES
from bench.growth.seeds import play_seeds

from bindery.domain.quote.journal_check import flaws_of
from bindery.storage.quote import journal
from support.postgres import create_database, drop_database
from support.service import Service, serving

pytestmark = pytest.mark.long

FEW, MANY = 4_000, 12_000
ALLOWED_RATIO, ALLOWED_MORE = 1.3, 25
"""An index of many is a level deeper than one of few, which shows where a path is only a few pages long."""

RUNS = 5
"""The median of five leaves out the first, which fill caches, and one in which a page had to be split."""

LOOK_AT_MANY = {
    "timetable: purge_deliveries",
    "replay of two years, first page",
    "timetable: figure_days",
    "Today of the broker of all companies",
}
"""They look at 5,000 deliveries, 1,000 events, whole days, or a hundred rows of each list: most of what the
smaller portfolio has."""

AS_ON_LARGE_TABLES = "set local enable_seqscan = off;"
"""With a few thousand rows a table is read through sooner than an index; with a million it is not."""

NEEDED = {
    "quotes_open": "timetable: sweep_expire_quote",
    "quotes_referred": "timetable: sweep_let_referral_go_stale",
    "quotes_in_pipeline": "timetable: requeue_standing_still",
    "quotes_of_company": "POST quotes, known company",
    "contingencies_of_quote": "GET quote",
    "policies_to_end": "timetable: sweep_end_term",
    "binds_unfinished": "timetable: requeue_unfinished_binds",
    "clearance_by_value": "broker of record",
    "submissions_of_company": "POST quotes, known company",
    "submissions_of_broker": "list of quotes of a broker",
    "submissions_of_secondary_broker": "own companies of a secondary broker",
    "search_texts_by_words": "search by a company's number",
    "events_by_type": "feed of a type that never was",
    "events_of_quote": "feed of a quote",
    "events_of_partner_by_time": "replay of two months, first page",
    "packets_to_make": "claim a packet",
    "answers_by_age": "timetable: purge_answers",
}
"""For some indexes, a path that is long without it."""


@dataclass(frozen=True)
class Portfolios:
    """What everything costs where there is little, and a database in which there is more."""

    few: Mapping[str, Cost]
    many: str
    folder: Path

    async def cost(self, *names: str, beforehand: str = "") -> dict[str, Cost]:
        """Measure the probes of these names where there is more."""
        async with serving(self.many, self.folder) as service:
            return await cost(service, *names, beforehand=beforehand)


async def cost(service: Service, *names: str, beforehand: str = "") -> dict[str, Cost]:
    return await measure_probes(
        await as_its_partner(service), names=names, runs=RUNS, beforehand=AS_ON_LARGE_TABLES + beforehand
    )


@pytest.fixture(scope="module")
def portfolios(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Portfolios]:
    """The same companies, copied a few times and many times."""
    folder = tmp_path_factory.mktemp("growth")
    few, many = (f"growth_{uuid.uuid4().hex}" for _ in range(2))

    async def make() -> Portfolios:
        dsn = await create_database(server, few, template=template)
        async with serving(dsn, folder) as service:
            seeds = await play_seeds(service)
        more = await create_database(server, many, template=few)
        async with serving(dsn, folder) as service:
            await grow(await as_its_partner(service), dsn, FEW, seeds)
            costs = await cost(service, *PROBES)
        async with serving(more, folder) as service:
            await grow(await as_its_partner(service), more, MANY, seeds)
        return Portfolios(costs, more, folder)

    yield asyncio.run(make())
    for name in (few, many):
        asyncio.run(drop_database(server, name))


def too_much(few: Mapping[str, Cost], many: Mapping[str, Cost]) -> dict[str, tuple[float, float]]:
    """Return the pages of what grew with the portfolio."""
    return {
        name: (few[name].buffers, cost.buffers)
        for name, cost in many.items()
        if name not in LOOK_AT_MANY and cost.buffers > few[name].buffers * ALLOWED_RATIO + ALLOWED_MORE
    }


async def test_nothing_costs_by_how_much_there_is(portfolios: Portfolios) -> None:
    many = await portfolios.cost(*PROBES)

    assert scans_of(many) == {}
    assert too_much(portfolios.few, many) == {}


@pytest.mark.parametrize("index", NEEDED)
async def test_it_shows_when_an_index_is_missing(portfolios: Portfolios, index: str) -> None:
    # In a portfolio of one partner and three products these indexes serve sweeps nearly as well.
    missing = f"{index}, quotes_by_status, terms_of_partner"
    many = await portfolios.cost(NEEDED[index], beforehand=f"drop index {missing}")

    assert scans_of(many) or too_much(portfolios.few, many)


async def test_who_reads_about_policies_only_does_not_pass_by_quotes(portfolios: Portfolios) -> None:
    costs = await portfolios.cost("feed of a level")

    (plan,) = costs["feed of a level"].plans
    assert "events_of_policies" in plan.indexes


async def test_the_copied_journals_are_whole(portfolios: Portfolios) -> None:
    async with (
        serving(portfolios.many, portfolios.folder) as service,
        service.runtime.database.reading() as tx,
    ):
        journals = await journal.read_batch(tx, after=uuid.UUID(int=0), limit=2 * MANY)

    assert len(journals) > MANY
    assert [flaw for kept in journals for flaw in flaws_of(kept)] == []
