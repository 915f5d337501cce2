"""The way in, and the search field: both lead everybody to where their work is."""

from collections.abc import Mapping
from typing import Final

from starlette.responses import RedirectResponse, Response

from bindery.domain.access.users import Role
from bindery.web.company.companies import search_companies
from bindery.web.frame.visit import SEE_OTHER, Visit
from bindery.web.ops.search import search_operations

HOME: Final[Mapping[Role, str]] = {
    Role.BROKER: "/companies",
    Role.UNDERWRITER: "/desk",
    Role.OPERATOR: "/ops",
}


async def go_home(visit: Visit) -> Response:
    """Send a user to the first page of the role, and anybody else to sign in."""
    where = "/sign-in" if visit.signed_in is None else HOME[visit.signed_in.user.role]
    return RedirectResponse(where, SEE_OTHER)


async def search(visit: Visit) -> Response:
    """Search what the role sees: operators ids and states, everybody else the companies of the book."""
    is_operator = visit.user.role is Role.OPERATOR
    return await (search_operations(visit) if is_operator else search_companies(visit))
