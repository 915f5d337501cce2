import uuid
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from bindery.domain.access.users import Role
from support.people import Person, sign_in_as
from support.postgres import create_database, drop_database
from support.service import Service, serving


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def office(
    server: str, template: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Service]:
    """A service that the tests of a module share: each makes what it looks at."""
    name = f"office_{uuid.uuid4().hex}"
    dsn = await create_database(server, name, template=template)
    async with serving(dsn, tmp_path_factory.mktemp("office")) as service:
        yield service
    await drop_database(server, name)


@pytest.fixture
async def broker(service: Service) -> AsyncIterator[Person]:
    """A broker of the service's partner."""
    async with await sign_in_as(service, Role.BROKER) as signed_in:
        yield signed_in


@pytest.fixture
async def underwriter(service: Service) -> AsyncIterator[Person]:
    """An underwriter."""
    async with await sign_in_as(service, Role.UNDERWRITER) as signed_in:
        yield signed_in


@pytest.fixture
async def operator(service: Service) -> AsyncIterator[Person]:
    """An operator."""
    async with await sign_in_as(service, Role.OPERATOR) as signed_in:
        yield signed_in
