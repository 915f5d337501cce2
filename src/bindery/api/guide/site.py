"""The documentation as a site: the guide's pages, the reference, the search, and texts for programs."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import groupby
from typing import Any, Final

import msgspec

from bindery.api.docs_page import ADDRESS, STYLE, Reference, content_policy, page_templates, template_file
from bindery.api.guide.markdown import anchor_of, render, render_part
from bindery.api.guide.pages import PAGE_BY_NAME, PAGES, GuidePage, source
from bindery.api.guide.search import Entry, find
from bindery.api.guide.search_words import OF_THE_SPECIFICATION
from bindery.api.packages.shelf import Package
from bindery.contract.questions import QuestionsResponse
from bindery.domain.questions.describe import describe_questions
from bindery.domain.questions.question import QUESTIONS
from bindery.http.representation import Representation

MARKDOWN: Final = "text/markdown; charset=utf-8"
ATOM: Final = "application/atom+xml"
LONGEST_QUERY: Final = 200
_SCRIPT: Final = "".join(map(template_file, ("docs_shared.js", "docs_tabs.js", "guide.js")))
CONTENT_POLICY: Final = content_policy(STYLE, _SCRIPT)
_GROUPS: Final = {group: list(pages) for group, pages in groupby(PAGES, lambda page: page.group)}
CHANGELOG: Final = PAGE_BY_NAME["changelog"]
_OPERATION: Final = re.compile(
    r"<(?P<whole>a|pre|h[1-6])\b.*?</(?P=whole)>|<code>(?P<request>[A-Z]+ /[^<]+|[a-z_]+\.[a-z_]+)</code>",
    re.DOTALL,
)
"""An operation or an event that a text names, and what may hold one and must stay as it is."""
HEADING: Final = re.compile(r"(?P<version>[\d.]+), (?:unreleased, as of )?(?P<day>\d{4}-\d\d-\d\d)")
"""A release and its day. An unreleased one has the day that its author gave it: the file's own date differs
in every checkout, and readers of the feed would see news that does not exist."""


class Site:
    """Everything under /docs. Pages are made on first use, and kept."""

    def __init__(self, openapi: Representation) -> None:
        self._openapi = openapi
        self._kept: dict[str, Representation] = {}

    def page(self, name: str) -> Representation | None:
        """Return a page of the guide, as HTML, or as Markdown where its name ends in `.md`."""
        page = PAGE_BY_NAME.get(name.removesuffix(".md"))
        if page is None:
            return None
        if name not in self._kept:
            is_text = name.endswith(".md")
            content, media_type = (source(page), MARKDOWN) if is_text else (self._html(page), "text/html")
            self._kept[name] = Representation(content.encode(), media_type, is_kept=True)
        return self._kept[name]

    def reference(self, token: str) -> Representation:
        """Return the list of operations; a token is filled in for their consoles."""
        return self._kept_page(f"reference {token}", lambda: self._reference.contents(token))

    def operation(self, name: str, token: str) -> Representation | None:
        if name not in self._reference.names:
            return None
        return self._kept_page(
            f"reference/{name} {token}",
            lambda: self._reference.page(name, token, self._told_in.get(f"{ADDRESS}/{name}", ())),
        )

    def _kept_page(self, name: str, make: Callable[[], str]) -> Representation:
        if name not in self._kept:
            self._kept[name] = Representation(make().encode(), "text/html", is_kept=True)
        return self._kept[name]

    @cached_property
    def changelog_feed(self) -> Representation:
        feed = (
            page_templates()
            .get_template("changelog.xml.j2")
            .render(base=self._address, entries=list(entries_of(source(CHANGELOG))))
        )
        return Representation(feed.encode(), ATOM, is_kept=True)

    @cached_property
    def for_programs(self) -> Representation:
        """Return llms.txt, the index for programs."""
        lines = [f"# {self._document['info']['title']}", "", f"> {_first_line(PAGES[0])}", ""]
        lines += ["## Guide", ""]
        lines += [f"- [{render(page).title}](/docs/{page.name}.md): {_first_line(page)}" for page in PAGES]
        lines += ["", "## Reference", "", "- [OpenAPI 3.1](/v2/openapi.json): every operation and field", ""]
        return Representation("\n".join(lines).encode(), MARKDOWN, is_kept=True)

    def found(self, query: str) -> str:
        query = " ".join(query.split())[:LONGEST_QUERY]
        return self._framed(
            "search.html.j2", "Search", current=None, query=query, hits=find(self._entries, query)
        )

    @cached_property
    def question_list(self) -> Representation:
        page = self._framed("question_list.html.j2", "All questions", current=None, products=question_sets())
        return Representation(page.encode(), "text/html", is_kept=True)

    def packages_page(self, packages: Iterable[Package]) -> str:
        address = f"{self._address}/packages"
        return self._framed("packages.html.j2", "Packages", current=None, packages=packages, address=address)

    def _html(self, page: GuidePage) -> str:
        rendered = render(page)
        rendered = replace(rendered, html=_OPERATION.sub(self._lead_to_operation, rendered.html))
        place = PAGES.index(page)
        return self._framed(
            "guide.html.j2",
            rendered.title,
            current=page,
            rendered=rendered,
            before=PAGES[place - 1] if place else None,
            after=PAGES[place + 1] if place + 1 < len(PAGES) else None,
        )

    def _framed(self, template: str, title: str, *, current: GuidePage | None, **shown: Any) -> str:  # noqa: ANN401 - what a template shows
        return (
            page_templates()
            .get_template(template)
            .render(
                style=STYLE,
                script=_SCRIPT,
                title=title,
                current=current,
                groups=_GROUPS,
                titles={page.name: render(page).title for page in PAGES},
                version=self._document["info"]["version"],
                **shown,
            )
        )

    @property
    def _address(self) -> str:
        return str(self._document["servers"][0]["url"]).rstrip("/").removesuffix("/v2")

    def _lead_to_operation(self, found: re.Match[str]) -> str:
        address = self._reference.address_of(found["request"] or "")
        return f'<a href="{address}">{found[0]}</a>' if address else found[0]

    @cached_property
    def _told_in(self) -> dict[str, list[GuidePage]]:
        """Return by the address of an operation the pages of the guide that name it."""
        told: dict[str, list[GuidePage]] = {}
        for page in PAGES:
            named = {
                self._reference.address_of(found["request"] or "")
                for found in _OPERATION.finditer(render(page).html)
            }
            for address in named - {None} if page is not CHANGELOG else ():
                told.setdefault(str(address), []).append(page)
        return told

    @cached_property
    def _reference(self) -> Reference:
        return Reference(self._document)

    @cached_property
    def _document(self) -> dict[str, Any]:
        document: dict[str, Any] = msgspec.json.decode(self._openapi.content)
        return document

    @cached_property
    def _entries(self) -> list[Entry]:
        entries = [
            Entry(
                page.address if place == 0 else f"{page.address}#{section.heading.anchor}",
                section.heading.text,
                render(page).title,
                section.text,
                # What changed once is rarely what is looked for.
                weight=0.4 if page is CHANGELOG else 1,
            )
            for page in PAGES
            for place, section in enumerate(render(page).sections)
        ]
        return [
            *entries,
            *_operations(self._document),
            *_questions(),
            *(
                Entry(page, name, "Specification", said)
                for name, (page, said) in OF_THE_SPECIFICATION.items()
            ),
        ]


def _first_line(page: GuidePage) -> str:
    body = source(page).split("\n", 1)[1].strip()
    paragraph = " ".join(body.split("\n\n", 1)[0].split())
    return paragraph.split(". ")[0].rstrip(".:") + "."


def question_sets() -> list[QuestionsResponse]:
    """Return what each product asks in the latest edition."""
    latest = max(QUESTIONS.all, key=lambda edition: edition.effective_from)
    return [describe_questions(questions) for questions in latest.sets.values()]


def _questions() -> Iterator[Entry]:
    for asked in question_sets():
        for question in asked.questions:
            yield Entry(
                f"/docs/question-list#{asked.product}-{question.id}",
                f"{question.id} ({asked.product})",
                "Questions",
                " ".join([question.text, question.help or "", *question.options]),
            )


def _operations(document: dict[str, Any]) -> Iterator[Entry]:
    schemas = document["components"]["schemas"]
    for name, methods in document.get("webhooks", {}).items():
        described = methods["post"]
        said = [described.get("description", ""), *_fields(described["requestBody"], schemas, set())]
        yield Entry(f"{ADDRESS}/webhook-{name}", name, "Webhook deliveries", " ".join(said))
    for path, methods in document["paths"].items():
        for method, described in methods.items():
            if "operationId" not in described:
                continue
            said = [f"{method.upper()} {path}", described.get("description", "")]
            said += _fields(described.get("requestBody", {}), schemas, set())
            yield Entry(
                f"{ADDRESS}/{described['operationId']}",
                described["summary"],
                "Reference",
                " ".join(said),
            )


def _fields(part: Any, schemas: dict[str, Any], seen: set[str]) -> Iterator[str]:  # noqa: ANN401 - any part of a document
    match part:
        case {"$ref": str(place)}:
            name = place.rpartition("/")[2]
            if name not in seen and name in schemas:
                seen.add(name)
                yield from _fields(schemas[name], schemas, seen)
        case dict():
            for name, inside in part.get("properties", {}).items():
                yield f"{name}: {inside.get('description', '')}"
            yield " ".join(map(str, part.get("enum", ())))
            for inside in part.values():
                yield from _fields(inside, schemas, seen)
        case list():
            for inside in part:
                yield from _fields(inside, schemas, seen)


@dataclass(frozen=True, slots=True)
class FeedEntry:
    release: str
    title: str
    anchor: str
    updated: datetime
    html: str

    @property
    def id(self) -> str:
        """Return a name that stays when the text changes."""
        return f"urn:bindery:changelog:{self.release}:{anchor_of(self.title)}"


def entries_of(text: str) -> Iterator[FeedEntry]:
    taken: dict[str, int] = {}
    for release in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        heading, _, body = release.partition("\n")
        release_day = HEADING.fullmatch(heading)
        if release_day is None:
            raise ValueError(f"This heading of the changelog has no day: {heading}")
        updated = datetime.fromisoformat(release_day["day"]).replace(tzinfo=UTC)
        for part in re.split(r"^### ", body, flags=re.MULTILINE)[1:]:
            title, _, said = part.partition("\n")
            slug = anchor_of(title)
            again = taken.get(slug, 0)
            taken[slug] = again + 1
            anchor = f"{slug}-{again}" if again else slug
            yield FeedEntry(release_day["version"], title, anchor, updated, render_part(said, CHANGELOG))
