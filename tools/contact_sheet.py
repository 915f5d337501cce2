"""A contact sheet: every page of the platform and some of the guide, in every way, as one HTML file.

Forms that were refused are on it too, with all that they say.
"""

import html
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page

from bindery.domain.access.users import Role
from bindery.web.frame.route import Route
from bindery.web.pages import PAGES

HEIGHTS: Final = {1280: 900, 390: 844}
SCHEMES: Final = ("light", "dark")
ANYBODY: Final = "anybody"
WHO: Final = (ANYBODY, *Role)
OF_EACH: Final = 2
MORE_OF: Final = {"/company/{company_id}": 10, "/desk/case/{submission_id}": 6, "/quote/{quote_id}/bind": 3}
"""How many addresses of a page are drawn: companies, cases and bind forms are in many states."""
NEVER_ENDING: Final = re.compile(r"/live.*")
NOT_A_PAGE: Final = re.compile(r"/|/quote/\{quote_id\}")
"""The first pages of a role and of a quote only lead on to others."""
WITHOUT_SIGN_IN: Final = ("/sign-in", "/docs", "/docs/quickstart", "/docs/reference")
TALLEST: Final = 2_600
COLORS: Final = 128
STYLE: Final = """body{font:14px/1.4 system-ui;margin:16px;background:#fff;color:#12263f}
h2{margin:28px 0 6px;font-size:15px}div{display:flex;gap:12px;align-items:start}
img{border:1px solid #cbd5e1;max-width:38vw;height:auto}img.narrow{max-width:10vw}"""


Ways: TypeAlias = Sequence[tuple[int, str]]
"""The widths of windows and the schemes in which pages are drawn."""
ALL_WAYS: Final = tuple((width, scheme) for width in HEIGHTS for scheme in SCHEMES)


class Drawn(NamedTuple):
    title: str
    pictures: tuple[str, ...]


def draw_all(
    browser: Browser,
    url: str,
    folder: Path,
    *,
    starts: Mapping[Role, tuple[str, ...]],
    who: Sequence[str] = WHO,
    ways: Ways = ALL_WAYS,
) -> Path:
    """Draw every page that each role can reach from the given addresses; return the sheet's file."""
    folder.mkdir(parents=True, exist_ok=True)
    rows: list[Drawn] = []
    for somebody in who:
        role = None if somebody == ANYBODY else Role(somebody)
        found: Sequence[str] = WITHOUT_SIGN_IN
        if role is not None:
            with browser.new_context(base_url=url) as context:
                _sign_in(context.new_page(), role)
                found = [*_addresses(context, role, starts.get(role, ()))]
        rows += _draw(browser, url, folder, role, found, ways)
    sheet = folder / "index.html"
    sheet.write_text(_page(rows), "utf-8")
    return sheet


def _rows(role: Role) -> list[Route]:
    return [
        row
        for row in PAGES
        if row.get is not None
        and not NEVER_ENDING.fullmatch(row.path)
        and not NOT_A_PAGE.fullmatch(row.path)
        and row.path not in WITHOUT_SIGN_IN
        and (row.who is None or role in row.who)
    ]


def _addresses(context: BrowserContext, role: Role, starts: tuple[str, ...]) -> Iterator[str]:
    """Follow the links from page to page and return a few addresses of each."""
    rows = _rows(role)
    known: dict[str, list[str]] = {row.path: [] for row in rows}
    waiting = [*starts, *(row.path for row in rows if "{" not in row.path)]
    while waiting:
        address = waiting.pop(0)
        row = next((row for row in rows if row.pattern.fullmatch(urlsplit(address).path)), None)
        if row is None or address in known[row.path]:
            continue
        if len(known[row.path]) >= MORE_OF.get(row.path, OF_EACH):
            continue
        answer = context.request.get(address)
        if not answer.headers["content-type"].startswith("text/html"):
            continue
        known[row.path].append(address)
        waiting += [html.unescape(link) for link in re.findall(r'href="(/[^"#]*)', answer.text())]
    for found in known.values():
        yield from found


def _draw(
    browser: Browser, url: str, folder: Path, role: Role | None, addresses: Sequence[str], ways: Ways
) -> Iterator[Drawn]:
    bind = next((address for address in addresses if address.endswith("/bind")), "")
    shows: dict[str, Callable[[Page], object]] = {
        **{address: partial(_open, address=address) for address in addresses},
        **{title: partial(send, address=bind) for title, send in REFUSED[role].items()},
    }
    pictures: dict[str, list[str]] = {title: [] for title in shows}
    for width, scheme in ways:
        with browser.new_context(
            base_url=url,
            viewport={"width": width, "height": HEIGHTS[width]},
            color_scheme="dark" if scheme == "dark" else "light",
        ) as context:
            page = context.new_page()
            if role is not None:
                _sign_in(page, role)
            for number, (title, show) in enumerate(shows.items()):
                name = f"{role or ANYBODY}-{number:02}-{width}-{scheme}.png"
                show(page)
                _save(page, folder / name, width)
                pictures[title].append(name)
    for title, names in pictures.items():
        yield Drawn(f"{role or ANYBODY} · {title}", tuple(names))


def _open(page: Page, *, address: str) -> None:
    page.goto(address)


def _refuse_sign_in(page: Page, *, address: str) -> None:  # noqa: ARG001 - every form is sent in one way
    page.goto("/sign-in")
    page.fill("[name=email]", "nobody@example.com")
    page.fill("[name=password]", "not the password")
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_selector(PROBLEMS)


def _refuse_review(page: Page, *, address: str) -> None:  # noqa: ARG001
    page.goto("/new")
    page.fill("[name='client.name']", "Unfinished Business LLC")
    page.fill("[name='client.address.zip']", "1910")
    page.get_by_role("button", name="Check this step").click()
    # The address of the draft alone may come from its being saved while it is filled in.
    page.wait_for_url(re.compile(r"/draft/[^/]+/company\?check=1"))
    page.goto(page.url.partition("?")[0].replace("/company", "/review"))
    page.wait_for_selector(PROBLEMS)


def _refuse_bind(page: Page, *, address: str) -> None:
    page.goto(address)
    page.fill("#effective", "2099-01-01")
    page.press("#effective", "Enter")
    page.wait_for_selector(PROBLEMS)


def _refuse_decision(page: Page, *, address: str) -> None:  # noqa: ARG001
    page.goto("/desk")
    page.get_by_role("link", name="Merrow & Vale Logistics").first.click()
    page.fill("#decide [name=premium]", "a lot")
    page.locator("button[value=approve]").first.click()
    page.get_by_text("What you typed is still there.").wait_for()


def _refuse_user(page: Page, *, address: str) -> None:  # noqa: ARG001
    page.goto("/ops/users")
    page.fill("form[action='/ops/users'] [name=email]", "broker@example.com")
    page.fill("form[action='/ops/users'] [name=name]", "Bo Again")
    page.locator("form[action='/ops/users'] button").click()
    page.wait_for_load_state()


PROBLEMS: Final = "#problems"
REFUSED: Final[Mapping[Role | None, Mapping[str, Callable[..., None]]]] = {
    None: {"a wrong password": _refuse_sign_in},
    Role.BROKER: {"a review with problems": _refuse_review, "a bind that is refused": _refuse_bind},
    Role.UNDERWRITER: {"a decision that is refused": _refuse_decision},
    Role.OPERATOR: {"a user who is refused": _refuse_user},
}
"""Forms that are refused, by who sends them; `address` is that of a bind form."""


def _sign_in(page: Page, role: Role) -> None:
    page.goto("/sign-in")
    page.locator(f'form:has(input[value="{role}"]) button').click()
    page.wait_for_url(lambda url: "/sign-in" not in url)


def _save(page: Page, file: Path, width: int) -> None:
    # A refusal takes the focus; what sticks to the window would be in the middle of the picture.
    page.evaluate("() => scrollTo(0, 0)")
    height = min(page.evaluate("() => document.documentElement.scrollHeight"), TALLEST)
    shot = page.screenshot(
        full_page=True, clip={"x": 0, "y": 0, "width": width, "height": height}, timeout=90_000
    )
    Image.open(io.BytesIO(shot)).convert("RGB").quantize(COLORS).save(file, optimize=True)


def _page(rows: list[Drawn]) -> str:
    parts = ["<!doctype html><meta charset=utf-8><title>Contact sheet</title>", f"<style>{STYLE}</style>"]
    for row in rows:
        parts.append(f"<h2>{html.escape(row.title)}</h2><div>")
        for name in row.pictures:
            kind = "narrow" if "-390-" in name else "wide"
            parts.append(
                f'<a href="{name}"><img class="{kind}" src="{name}" alt="{name}" loading="lazy"></a>'
            )
        parts.append("</div>")
    return "\n".join(parts)
