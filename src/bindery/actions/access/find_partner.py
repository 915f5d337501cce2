"""Finding the partner that a person named."""

from bindery.base.errors import Problem
from bindery.storage.access import partners
from bindery.storage.access.partners import Partner
from bindery.storage.database import Reader


async def find_partner(tx: Reader, name: str, problems: list[Problem]) -> Partner | None:
    """Find a partner by the name that somebody typed, in capitals or not; an unknown one is a problem."""
    found = await partners.find_partner_as_typed(tx, name.strip())
    if found is None:
        problems.append(
            Problem("partner", "unknown_partner", f"{name!r} is unknown; use the name of a partner")
        )
    return found
