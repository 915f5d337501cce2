"""The pages of the documentation after the first: served, and not part of the OpenAPI document."""

from typing import Final

from bindery.api.operation import Answer, Handler, Operation
from bindery.api.routes import documentation


def _page(path: str, name: str, handler: Handler) -> Operation:
    return Operation(
        method="GET",
        path=path,
        name=name,
        summary="Read the documentation",
        tag="service",
        handler=handler,
        needs_token=False,
        answers={200: Answer("A page for people.", media_type="text/html")},
    )


SITE: Final = (
    _page("/docs/reference", "docs_reference", documentation.reference),
    _page("/docs/search", "docs_search", documentation.search),
    _page("/docs/changelog.xml", "docs_changelog_feed", documentation.changelog_feed),
    _page("/docs/{page}", "docs_guide", documentation.guide_page),
    _page("/llms.txt", "docs_for_programs", documentation.for_programs),
)
