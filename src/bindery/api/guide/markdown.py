"""From Markdown to the guide's HTML: anchors, links between pages, examples in several languages as tabs."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import pairwise
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from bindery.api.guide.pages import PAGE_BY_FILE, GuidePage, source

TAB_NAMES: Final = {"bash": "curl", "python": "Python", "typescript": "TypeScript"}
"""The languages of examples that are shown side by side as tabs."""

_PARSER: Final = MarkdownIt("commonmark").enable("table")
_HIGHLIGHT: Final = HtmlFormatter(nowrap=True)


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    text: str
    anchor: str


@dataclass(frozen=True, slots=True)
class GuideSection:
    heading: Heading
    text: str


@dataclass(frozen=True, slots=True)
class Rendered:
    title: str
    html: str
    sections: tuple[GuideSection, ...]


@cache
def render(page: GuidePage) -> Rendered:
    tokens = _parse(source(page), page)
    headings = list(_name_headings(tokens))
    _wrap_tables(tokens)
    html = "".join(_blocks(tokens))
    return Rendered(headings[0].text, html, tuple(_sections(tokens, headings)))


def render_part(text: str, page: GuidePage) -> str:
    return "".join(_blocks(_parse(text, page)))


def anchor_of(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") or "part"


def _parse(text: str, page: GuidePage) -> list[Token]:
    tokens = [token for token in _PARSER.parse(text) if token.info != "mermaid"]
    for token in _all(tokens):
        if token.type == "link_open":
            _lead_to_pages(token, page)
    return tokens


def _all(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _all(token.children or ())


def _name_headings(tokens: Sequence[Token]) -> Iterator[Heading]:
    taken: set[str] = set()
    for opening, inside in pairwise(tokens):
        if opening.type != "heading_open":
            continue
        text = _plain(inside)
        slug = anchor = anchor_of(text)
        again = 0
        while anchor in taken:
            again += 1
            anchor = f"{slug}-{again}"
        taken.add(anchor)
        opening.attrSet("id", anchor)
        yield Heading(int(opening.tag[1]), text, anchor)


def _plain(token: Token) -> str:
    return "".join(
        " " if part.type in {"softbreak", "hardbreak"} else part.content for part in token.children or ()
    )


def _lead_to_pages(token: Token, page: GuidePage) -> None:
    """Turn a path between files into an address of the site; other files become plain words."""
    target = str(token.attrGet("href") or "")
    if re.match(r"[a-z]+:|#|/", target):
        return
    path, _, anchor = target.partition("#")
    file = posixpath.normpath(posixpath.join(posixpath.dirname(page.file), path)).removeprefix("../")
    if (found := PAGE_BY_FILE.get(file)) is not None:
        token.attrSet("href", found.address + (f"#{anchor}" if anchor else ""))
    else:
        token.tag, token.attrs = "span", {"class": "unserved"}


def _wrap_tables(tokens: list[Token]) -> None:
    """Make a wide table scroll on its own, by keyboard too."""
    for token in tokens:
        if token.type == "table_open":
            token.attrSet("class", "plain")
            token.attrSet("tabindex", "0")


def _blocks(tokens: Sequence[Token]) -> Iterator[str]:
    place = 0
    while place < len(tokens):
        token = tokens[place]
        if token.type == "fence":
            group = [token]
            while (
                place + len(group) < len(tokens)
                and (following := tokens[place + len(group)]).type == "fence"
                and following.info in TAB_NAMES
                and following.info not in {member.info for member in group}
            ):
                group.append(following)
            yield _tabs(group) if len(group) > 1 else _code(token)
            place += len(group)
            continue
        end = place + 1
        while end < len(tokens) and tokens[end].type != "fence":
            end += 1
        html = _PARSER.renderer.render(tokens[place:end], _PARSER.options, {})
        # Links that became plain words are closed as such.
        yield re.sub(r'(<span class="unserved">(?:(?!</a>).)*)</a>', r"\1</span>", html, flags=re.DOTALL)
        place = end


def _tabs(group: Sequence[Token]) -> str:
    panels = "".join(
        f'<section class="tab" data-language="{escape(token.info)}">'
        f"<h4>{TAB_NAMES.get(token.info, token.info)}</h4>{_code(token)}</section>"
        for token in group
    )
    return f'<div class="tabs">{panels}</div>'


def _code(token: Token) -> str:
    language = token.info.split()[0] if token.info else "text"
    try:
        marked: str = highlight(token.content, get_lexer_by_name(language, stripnl=False), _HIGHLIGHT)
    except ClassNotFound:
        marked = escape(token.content)
    return f'<div class="code"><pre tabindex="0"><code>{marked}</code></pre></div>'


def _sections(tokens: Sequence[Token], headings: Sequence[Heading]) -> Iterator[GuideSection]:
    left = iter(headings)
    heading, words = None, list[str]()
    inside_heading = False
    for token in tokens:
        if token.type == "heading_open":
            if heading is not None:
                yield GuideSection(heading, " ".join(words))
            heading, words = next(left), []
            inside_heading = True
        elif token.type == "heading_close":
            inside_heading = False
        elif token.type == "inline" and not inside_heading:
            words.append(_plain(token))
        elif token.type == "fence":
            words.append(" ".join(token.content.split()))
    if heading is not None:
        yield GuideSection(heading, " ".join(words))
