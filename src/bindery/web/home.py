"""The way in, and the search field; both depend on the role."""

from collections.abc import Mapping
from typing import Final

from starlette.responses import RedirectResponse, Response

from bindery.domain.access.users import Role
from bindery.web.company.search import search_companies
from bindery.web.frame.visit import SEE_OTHER, Visit
from bindery.web.ops.search import search_operations
from bindery.web.today.today import show_today

HOME: Final[Mapping[Role, str]] = {
    Role.UNDERWRITER: "/desk",
    Role.OPERATOR: "/ops",
}


async def go_home(visit: Visit) -> Response:
    if visit.signed_in is not None and visit.user.role is Role.BROKER:
        return await show_today(visit)
    where = "/sign-in" if visit.signed_in is None else HOME[visit.signed_in.user.role]
    return RedirectResponse(where, SEE_OTHER)


async def search(visit: Visit) -> Response:
    is_operator = visit.user.role is Role.OPERATOR
    return await (search_operations(visit) if is_operator else search_companies(visit))
