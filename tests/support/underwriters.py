"""Underwriters with letters of authority."""

import uuid
from typing import Any

from bindery.actions.access.change_user import add_user
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.access.users import Role, User
from bindery.domain.quote.authority import AuthorityLetter
from bindery.storage.desk.authority import set_letter
from support.service import Service

WIDE: Any = {"aggregate_limit": 100_000_000, "premium": 10_000_000, "deviation": 1_000}


async def an_underwriter(service: Service, name: str, *, email: str | None = None) -> User:
    """Add an underwriter without a letter."""
    address = email or f"{name.lower()}-{uuid.uuid4().hex[:6]}@example.com"
    return await add_user(
        service.runtime, email=address, name=name, role=Role.UNDERWRITER, partner=None, password=None
    )


async def give_letter(
    service: Service, user: User, product: InsuranceProduct = InsuranceProduct.CYB, **bounds: Any
) -> None:
    """Grant an underwriter a letter that is as wide as it can be but for these bounds."""
    letter = AuthorityLetter(product=product, **{**WIDE, **bounds})
    async with service.runtime.database.transaction() as tx:
        await set_letter(tx, user.user_id, letter, by="tests")
