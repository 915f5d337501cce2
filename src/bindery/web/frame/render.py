from collections.abc import Mapping, MutableMapping
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined, nodes
from jinja2.compiler import CodeGenerator, Frame
from markupsafe import Markup, escape
from markupsafe import _escape_inner as escape_text  # type: ignore[attr-defined] # what `escape` wraps
from msgspec import Struct
from starlette.responses import HTMLResponse

from bindery.domain.access.users import Role
from bindery.domain.jobs import is_worker_missed
from bindery.storage.access.users import SignedIn
from bindery.web.frame.icons import ICONS
from bindery.web.frame.sign_in_cookie import browser_key, browser_words
from bindery.web.frame.static_files import address_of
from bindery.web.frame.visit import Visit
from bindery.web.shown import words
from bindery.web.shown.links import ViewLink
from bindery.web.shown.option import shown_number
from bindery.web.shown.owed_together import owed_together


def escaped(value: object) -> str:
    """Return the text that `escape` makes of a value, without wrapping it.

    Jinja wraps every value that it puts into a page in an object of its own, a thousand for fifty rows.
    """
    if type(value) is str:
        text: str = escape_text(value)
        return text
    if type(value) is int or type(value) is float:
        return str(value)
    return value if type(value) is Markup else escape(value)


class _PageCode(CodeGenerator):
    def _output_child_pre(
        self,
        node: nodes.Expr,  # noqa: ARG002 - as the base class calls it
        frame: Frame,  # noqa: ARG002
        finalize: CodeGenerator._FinalizeInfo,  # noqa: ARG002
    ) -> None:
        # Nearly all are texts, which need no call of ours in between.
        self.write("(environment.escape_text(shown) if type(shown := ")

    def _output_child_post(
        self,
        node: nodes.Expr,  # noqa: ARG002 - as above
        frame: Frame,  # noqa: ARG002
        finalize: CodeGenerator._FinalizeInfo,  # noqa: ARG002
    ) -> None:
        self.write(") is str else environment.escaped(shown))")

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802 - the base class's name
        """Ask an object for an attribute at once; Jinja's function is for what has none, such as a map."""
        self.write("(found if (found := getattr((owner := ")
        self.visit(node.node, frame)
        self.write(
            f"), {node.attr!r}, missing)) is not missing else environment.getattr(owner, {node.attr!r}))"
        )


class PageEnvironment(Environment):
    code_generator_class = _PageCode
    escaped = staticmethod(escaped)
    escape_text = staticmethod(escape_text)

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Let templates use the globals themselves, and not a chain of maps in front of them.

        For each import of macros Jinja compares the names of both templates, through the chain one by one.
        """
        return super().make_globals(d) if d else self.globals


POLICY: Final = (
    "default-src 'none'; style-src 'self'; font-src 'self'; script-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "private, no-cache",
}

TEMPLATES: Final = PageEnvironment(
    loader=PackageLoader("bindery.web", ""),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    # The templates are part of the program; whether their files were changed is not looked at for every page.
    auto_reload=False,
    # All are kept, in a map without locks: a page looks for up to forty.
    cache_size=-1,
)
TEMPLATES.globals["static"] = address_of
TEMPLATES.globals["icon"] = ICONS.__getitem__
TEMPLATES.filters.update(
    money=words.money,
    cents=words.cents,
    number="{:,}".format,
    day=words.day,
    product=words.product_name,
    status_word=words.STATUS_WORDS.__getitem__,
    option=shown_number,
    owed_together=owed_together,
    browser=browser_words,
)


@lru_cache(maxsize=256)
def choices(offered: tuple[tuple[str, str], ...], chosen: str | None) -> Markup:
    """Return the options of a select field; they are the same every time, so they are cached."""
    text = TEMPLATES.get_template("frame/_choices.html").render(offered=offered, chosen=chosen)
    return Markup(text)  # noqa: S704 - escaped by the template


TEMPLATES.globals["choices"] = choices


class PageFrame(Struct, frozen=True):
    user: str
    role: str
    scheme: str
    links: tuple[ViewLink, ...]
    banner: str
    is_demo: bool
    query: str
    searches: str = ""
    finds: str = ""
    alarm: str = ""
    browser_key: str = ""
    has_keys: bool = False

    @property
    def initials(self) -> str:
        return "".join(word[0] for word in self.user.split()[:2]).upper()


LINKS: Final[Mapping[Role, tuple[tuple[str, str], ...]]] = {
    Role.BROKER: (("/", "Today"), ("/companies", "Companies"), ("/renewals", "Renewals")),
    Role.UNDERWRITER: (("/desk", "Queue"), ("/desk/renewals", "Renewals"), ("/companies", "Companies")),
    Role.OPERATOR: (
        ("/ops", "Overview"),
        ("/ops/partners", "Partners"),
        ("/ops/users", "Users"),
        ("/ops/ledger", "Ledger"),
        ("/ops/webhooks", "Webhooks"),
        ("/ops/jobs", "Jobs"),
        ("/ops/mails", "Mail"),
        ("/ops/settings", "Settings"),
    ),
}
BELONGS: Final[Mapping[str, str]] = {
    "/today/": "/",
    "/new/": "/",
    "/draft/": "/",
    "/drafts/": "/",
    "/company/": "/companies",
    "/quote/": "/companies",
    "/policy/": "/companies",
    "/ops/tokens/": "/ops/partners",
    "/ops/brokers/": "/ops/partners",
    "/ops/deliveries/": "/ops/webhooks",
    "/ops/deeds/": "/ops/users",
    "/ops/binders/": "/ops/ledger",
    "/ops/filings/": "/ops/ledger",
    "/ops/bordereaux/": "/ops/ledger",
    "/ops/check/": "/ops",
}
"""Pages that belong to a link of the navigation whose address theirs does not begin with."""
SEARCHES: Final[Mapping[Role, str]] = {Role.OPERATOR: "Search ids, numbers, partners and users"}
FINDS: Final[Mapping[Role, str]] = {Role.OPERATOR: "Id, number, partner, user"}
"""What stands in the empty search field, shorter than its name for screen readers."""
KEYS: Final[Mapping[str, str]] = {
    "/": "g t",
    "/desk": "g q",
    "/companies": "g c",
    "/ops": "g o",
    "/renewals": "g r",
    "/desk/renewals": "g r",
}


def frame_of(visit: Visit) -> PageFrame:
    path = visit.path
    is_demo = visit.runtime.settings.is_demo
    if visit.signed_in is None:
        return PageFrame("", "", "system", (), "", is_demo, "")
    user = visit.signed_in.user
    here = _place(path, user.role)
    return PageFrame(
        user=user.name,
        role=user.role,
        scheme=user.scheme,
        links=tuple(
            ViewLink(address=address, text=text, is_here=address == here, key=KEYS.get(address, ""))
            for address, text in LINKS[user.role]
        ),
        banner=visit.signed_in.banner or "",
        is_demo=is_demo,
        query=visit.word("q") if path == "/search" else "",
        searches=SEARCHES.get(user.role, "Search companies, quotes and policies"),
        finds=FINDS.get(user.role, "Company, policy or quote"),
        alarm=_alarm(visit.signed_in) if user.role is Role.OPERATOR else "",
        browser_key=browser_key(visit.signed_in.token_sha256),
        has_keys=user.has_keys,
    )


def _place(path: str, role: Role) -> str:
    place = next((link for start, link in BELONGS.items() if f"{path}/".startswith(start)), path)
    # The overview is one page; all others of an operator have addresses below its own.
    found = (
        address
        for address, _ in LINKS[role]
        if place == address or (place.startswith(f"{address}/") and address != "/ops")
    )
    return max(found, key=len, default="")


def _alarm(signed_in: SignedIn) -> str:
    silent_for = signed_in.worker_silent_for
    if not is_worker_missed(silent_for):
        return ""
    since = (
        "No worker is running"
        if silent_for is None
        else f"No worker has been seen for {words.ago(silent_for)}"
    )
    return f"{since}: quotes, deliveries and mail wait until one is. Start one with bindery work."


def page(
    visit: Visit,
    template: str,
    *,
    status: int = HTTPStatus.OK,
    headers: Mapping[str, str] | None = None,
    **shown: object,
) -> HTMLResponse:
    text = TEMPLATES.get_template(template).render(frame=frame_of(visit), **shown)
    return HTMLResponse(text, status, {**HEADERS, **(headers or {})})


def part(template: str, **shown: object) -> HTMLResponse:
    return HTMLResponse(TEMPLATES.get_template(template).render(**shown), headers=dict(HEADERS))
