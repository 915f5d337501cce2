"""A contact sheet: every page of the platform and some of the guide, in every way, as one HTML file."""

import html
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page

from bindery.domain.access.users import Role
from bindery.web.frame.route import Route
from bindery.web.pages import PAGES

WAYS: Final = tuple((size, scheme) for size in ((1280, 900), (390, 844)) for scheme in ("light", "dark"))
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


class Drawn(NamedTuple):
    title: str
    pictures: tuple[str, ...]


def draw_all(browser: Browser, url: str, folder: Path, *, starts: Mapping[Role, tuple[str, ...]]) -> Path:
    """Draw every page that each role can reach from the given addresses; return the sheet's file."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [*_draw(browser, url, folder, None, WITHOUT_SIGN_IN)]
    for role in Role:
        with browser.new_context(base_url=url) as context:
            _sign_in(context.new_page(), role)
            found = [*_addresses(context, role, starts.get(role, ()))]
        rows += _draw(browser, url, folder, role, found)
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
    browser: Browser, url: str, folder: Path, role: Role | None, addresses: tuple[str, ...] | list[str]
) -> Iterator[Drawn]:
    pictures: dict[str, list[str]] = {address: [] for address in addresses}
    for (width, height), scheme in WAYS:
        with browser.new_context(
            base_url=url,
            viewport={"width": width, "height": height},
            color_scheme="dark" if scheme == "dark" else "light",
        ) as context:
            page = context.new_page()
            if role is not None:
                _sign_in(page, role)
            for number, (address, names) in enumerate(pictures.items()):
                name = f"{role or 'anybody'}-{number:02}-{width}-{scheme}.png"
                page.goto(address)
                _save(page, folder / name, width)
                names.append(name)
    for address, names in pictures.items():
        yield Drawn(f"{role or 'anybody'} · {address}", tuple(names))


def _sign_in(page: Page, role: Role) -> None:
    page.goto("/sign-in")
    page.locator(f'form:has(input[value="{role}"]) button').click()
    page.wait_for_url(lambda url: "/sign-in" not in url)


def _save(page: Page, file: Path, width: int) -> None:
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
