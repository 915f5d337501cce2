from collections.abc import AsyncIterator

import pytest

from bindery.domain.access.users import Role
from support.people import Person, sign_in_as
from support.service import Service


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
