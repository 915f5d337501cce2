"""A broker of a partner with ten thousand companies: what first pages cost, and whether they count right."""

import csv
import io
import re
import uuid
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from bench.growth.portfolio import as_its_partner, grow
from bench.growth.seeds import play_seeds
from bench.platform import STATEMENTS
from bench.platform_pages import statements_of

from bindery.domain.access.users import Role
from support.people import Person, sign_in_as
from support.postgres import create_database, drop_database
from support.service import BROKER, Service, serving

pytestmark = [pytest.mark.long, pytest.mark.asyncio(loop_scope="module")]

COMPANIES = 10_000
OPTIONS_OF_EACH = 5
MOST_STATEMENTS = 12
MOST_BYTES = 60 * 1_024
MOST_ROWS_OF_A_LIST = 100
ADDRESSES = ("/", "/companies", "/companies?mine=0", "/companies?mine=0&sort=premium", "/renewals?mine=0")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def book(
    server: str, template: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[Service, Person]]:
    name = f"book_{uuid.uuid4().hex}"
    dsn = await create_database(server, name, template=template)
    async with serving(dsn, tmp_path_factory.mktemp("book"), pool_size=2) as service:
        await grow(service, dsn, (COMPANIES + 200) * OPTIONS_OF_EACH, await play_seeds(service))
        its = await as_its_partner(service)
        async with await sign_in_as(its, Role.BROKER, email=BROKER) as broker:
            yield its, broker
    await drop_database(server, name)


@pytest.mark.parametrize("address", ADDRESSES)
async def test_first_pages_keep_to_their_budgets(book: tuple[Service, Person], address: str) -> None:
    service, broker = book

    page = await broker.open(address)
    sent = await statements_of(service, lambda: broker.http.get(address))

    assert len(sent) <= (STATEMENTS["today"] if address == "/" else MOST_STATEMENTS)
    assert len(page.encode()) <= MOST_BYTES


async def test_counts_of_today_are_those_of_the_lists_they_lead_to(book: tuple[Service, Person]) -> None:
    _, broker = book

    today = await broker.open("/")

    counts = re.findall(r'<h2 id="list-(\w+)">[^<]*</h2><span class="tag">([\d+]+)</span>', today)
    assert len(counts) >= 3
    for kind, count in counts:
        full = await broker.open(f"/today?list={kind}")
        rows = len(re.findall(r"<li\b", full.partition('class="todo"')[2].partition("</ul>")[0]))
        assert count == (f"{rows}+" if rows == MOST_ROWS_OF_A_LIST and "+" in count else str(rows)), kind


async def test_the_production_report_has_every_company(book: tuple[Service, Person]) -> None:
    service, broker = book
    company_ids = await service.runtime.database.pool.fetch(
        "select company_id from companies where partner_id = $1", service.partner.partner_id
    )
    assert len(company_ids) > COMPANIES

    sheet = (await broker.http.get("/companies.csv?mine=0", timeout=300)).text

    _, *rows = csv.reader(io.StringIO(sheet))
    assert {int(row[0]) for row in rows} == {row[0] for row in company_ids}
