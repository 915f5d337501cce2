import uuid
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from support.postgres import create_database, drop_database
from support.service import Service, serving


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(
    server: str, template: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Service]:
    """One demo service without a worker for a whole module of tests that do not stand in each other's way.

    Such a module says `pytestmark = pytest.mark.asyncio(loop_scope="module")`.
    """
    name = f"test_{uuid.uuid4().hex}"
    dsn = await create_database(server, name, template=template)
    async with serving(dsn, tmp_path_factory.mktemp("shared"), programs=("ACCOUNTANTS", "FRANCHISE-7")) as it:
        yield it
    await drop_database(server, name)
