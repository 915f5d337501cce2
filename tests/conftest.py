import asyncio
import contextlib
import copy
import gc
import json
import signal
import uuid
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import pytest_asyncio

from bindery.logs import configure_logs
from bindery.storage.migrate import migrate
from support.binding import DAY, set_day
from support.forked import stop_fork_server
from support.frozen import FrozenStory, freeze, freeze_book, freeze_offer, thawed
from support.kept_databases import KeptDatabases, kept_databases
from support.long_tests import has_only_long_tests, may_have_long_tests
from support.postgres import create_database, once, shared_server, stop_shared_server
from support.press import plain_press
from support.service import Service, serving, working

STORIES = {"renewal_offer": "frozen_offer", "policy": "frozen_story", "busy_book": "frozen_book"}
"""Which story a test begins with by the fixture that it asks for; the latest moment comes first."""


def pytest_configure() -> None:
    # Started in the background of a script, this run ignores Ctrl-C, and so would every program that the
    # tests start and stop by it.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # How long an example takes says more about the machine than about the program.
    hypothesis.settings.register_profile("any machine", deadline=None)
    hypothesis.settings.load_profile("any machine")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import a module that has none of the tests that are asked for."""
    if collection_path.suffix != ".py":
        return None
    match config.option.markexpr:
        case "long":
            return not may_have_long_tests(collection_path) or None
        case "not long":
            return has_only_long_tests(collection_path) or None
        case _:
            return None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    # Thousands of tests stay until the end; no collection of garbage has to look through them, neither while
    # they are found nor later.
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    stop_fork_server()
    if not hasattr(session.config, "workerinput"):
        stop_shared_server()


@pytest.fixture(scope="session", autouse=True)
def log_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that this process logs to."""
    file = tmp_path_factory.mktemp("logs") / "bindery.log"
    configure_logs("info", file=file)
    return file


@pytest.fixture
def log_lines(log_file: Path) -> Callable[[], list[dict[str, Any]]]:
    """Return what was logged since the test began, when called."""
    before = log_file.stat().st_size

    def read() -> list[dict[str, Any]]:
        return [json.loads(line) for line in log_file.read_bytes()[before:].splitlines()]

    return read


@pytest.fixture(scope="session")
def server() -> str:
    """The address of the run's one database server."""
    return shared_server()


@pytest.fixture(scope="session")
def template(server: str) -> str:
    """The name of a migrated database that the tests' own are copies of."""

    async def make() -> str:
        name = f"template_{uuid.uuid4().hex}"
        await migrate(await create_database(server, name))
        return name

    return once("template", lambda: asyncio.run(make()))


@pytest.fixture(scope="session")
def frozen_story(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> FrozenStory:
    """The story of a policy that was issued, played once."""
    return once("story", lambda: asyncio.run(freeze(server, template, tmp_path_factory.mktemp("story"))))


@pytest.fixture(scope="session")
def frozen_offer(
    server: str, frozen_story: FrozenStory, tmp_path_factory: pytest.TempPathFactory
) -> FrozenStory:
    """The story of that policy up to the offer of its renewal, played once."""
    folder = tmp_path_factory.mktemp("offer")
    return once("offer", lambda: asyncio.run(freeze_offer(server, frozen_story, folder)))


@pytest.fixture(scope="session")
def frozen_book(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> FrozenStory:
    """The story of a book in which everything happened that moves premium, played once."""
    return once("book", lambda: asyncio.run(freeze_book(server, template, tmp_path_factory.mktemp("book"))))


@pytest.fixture
def story(request: pytest.FixtureRequest) -> FrozenStory | None:
    """The story that a test begins with, if it asks for one of the fixtures of `STORIES`."""
    name = next((known for asked, known in STORIES.items() if asked in request.fixturenames), None)
    return request.getfixturevalue(name) if name else None


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def kept(server: str) -> AsyncIterator[KeptDatabases]:
    """The databases that tests of this process have one after the other."""
    async with kept_databases(server) as databases:
        yield databases


@pytest.fixture
async def dsn(
    kept: KeptDatabases, template: str, story: FrozenStory | None, request: pytest.FixtureRequest
) -> AsyncIterator[str]:
    """A migrated database of the test's own."""
    is_new = "new_database" in request.fixturenames
    async with kept.lent(story.database if story else template, is_new=is_new) as lent:
        yield lent


@pytest.fixture
def new_database() -> None:
    """A database that no test had before, for tests of what PostgreSQL counts, which it does late."""


@pytest.fixture
async def service(dsn: str, tmp_path: Path, story: FrozenStory | None) -> AsyncIterator[Service]:
    """A demo service without a worker."""
    async with thawed(story, dsn, tmp_path) if story else serving(dsn, tmp_path) as opened:
        yield opened


@pytest.fixture
def policy(frozen_story: FrozenStory) -> dict[str, Any]:
    """An issued policy of the service, from March 2 2027 to March 2 2028; the business clock is at noon."""
    assert frozen_story.policy is not None
    return copy.deepcopy(frozen_story.policy)


@pytest.fixture
def renewal_offer(frozen_offer: FrozenStory) -> dict[str, Any]:
    """The offer to renew `policy`, made on January 2 2028; the business clock is at noon of that day."""
    assert frozen_offer.offer is not None
    return copy.deepcopy(frozen_offer.offer)


@pytest.fixture
def busy_book(frozen_book: FrozenStory) -> date:
    """The day of a book of six policies in four states from March 1 2027, and of what became of them."""
    return frozen_book.day


@pytest.fixture
async def working_service(service: Service, request: pytest.FixtureRequest) -> AsyncIterator[Service]:
    """A demo service with its worker; documents are typeset for tests that ask for `real_printing` too."""
    printing = contextlib.nullcontext() if "real_printing" in request.fixturenames else plain_press()
    with printing:
        async with working(service):
            yield service


@pytest.fixture
def real_printing() -> None:
    """Documents that are typeset as they are for users, for tests of a worker that read them."""


@pytest.fixture
async def clock_at_day(service: Service, story: FrozenStory | None) -> None:
    """The business clock of the service at noon of the day on which its story begins or went on."""
    await set_day(service, story.day if story else DAY)


@pytest.fixture
def plain_printing() -> Iterator[None]:
    """Documents that are not typeset, for stories that read none."""
    with plain_press():
        yield
