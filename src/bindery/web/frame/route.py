import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from starlette.responses import Response

from bindery.domain.access.caller import Quota
from bindery.domain.access.users import Role

if TYPE_CHECKING:
    from bindery.web.frame.visit import Visit

Handler = Callable[["Visit"], Awaitable[Response]]

ANYONE: Final[frozenset[Role] | None] = None
SIGNED_IN: Final = frozenset(Role)
BROKER: Final = frozenset({Role.BROKER})
UNDERWRITER: Final = frozenset({Role.UNDERWRITER})
OPERATOR: Final = frozenset({Role.OPERATOR})
BOOK: Final = BROKER | UNDERWRITER
RATED: Final = UNDERWRITER | OPERATOR
LINKS: Final = "/s/"
"""Where the pages of links to clients are: what follows is the secret."""

PARAMETER: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """An address, its handlers, and the roles that may use it; `who` is None for pages without a sign-in.

    Forms with `counted_as` count against the partner's limits, like requests to the API. A form whose file is
    optional can be sent again without it. A stream has no `HEAD`, whose answer would have no body to wait
    for. A page of a `link` is for whoever has its address: nobody is signed in there, and its forms carry a
    token of their own.
    """

    path: str
    who: frozenset[Role] | None
    get: Handler | None = None
    post: Handler | None = None
    counted_as: Quota | None = None
    is_stream: bool = False
    file_is_optional: bool = False
    is_link: bool = False
    pattern: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pattern", re.compile(PARAMETER.sub(r"(?P<\1>[^/]+)", self.path)))

    @property
    def name(self) -> str:
        return f"page {self.path}"

    @property
    def has_parameters(self) -> bool:
        return PARAMETER.search(self.path) is not None

    @property
    def handlers(self) -> Mapping[str, Handler]:
        head = None if self.is_stream else self.get
        found = {"GET": self.get, "HEAD": head, "POST": self.post}
        return {method: handler for method, handler in found.items() if handler is not None}
