"""Which pages the guide has, and the texts they are made from."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import bindery


@dataclass(frozen=True, slots=True)
class GuidePage:
    name: str
    file: str
    group: str

    @property
    def address(self) -> str:
        return "/docs" if self.name == "overview" else f"/docs/{self.name}"


PAGES: Final = (
    GuidePage("overview", "guide/overview.md", "Start"),
    GuidePage("quickstart", "guide/quickstart.md", "Start"),
    GuidePage("demo", "guide/demo.md", "Start"),
    GuidePage("sdks", "sdks.md", "Start"),
    GuidePage("command-line", "guide/command-line.md", "Start"),
    GuidePage("requests", "guide/requests.md", "Quote"),
    GuidePage("questions", "guide/questions.md", "Quote"),
    GuidePage("waiting", "guide/waiting.md", "Quote"),
    GuidePage("referrals", "guide/referrals.md", "Quote"),
    GuidePage("lifecycle", "lifecycle.md", "Quote"),
    GuidePage("signing", "guide/signing.md", "Bind"),
    GuidePage("binding", "guide/binding.md", "Bind"),
    GuidePage("changes", "guide/changes.md", "Bind"),
    GuidePage("documents", "guide/documents.md", "Bind"),
    GuidePage("lists", "guide/lists.md", "Run"),
    GuidePage("webhooks", "webhooks.md", "Run"),
    GuidePage("errors", "guide/errors.md", "Run"),
    GuidePage("error-codes", "error-codes.md", "Run"),
    GuidePage("specification", "guide/specification.md", "Run"),
    GuidePage("going-live", "guide/going-live.md", "Run"),
    GuidePage("changelog", "CHANGELOG.md", "Run"),
)
"""In the order of the menu."""

PAGE_BY_NAME: Final = {page.name: page for page in PAGES}
PAGE_BY_FILE: Final = {page.file: page for page in PAGES}


@cache
def source(page: GuidePage) -> str:
    inside = _folder() / page.file
    place = inside if inside.exists() else _folder().parent / page.file
    return place.read_text("utf-8")


@cache
def _folder() -> Path:
    """Find the docs: inside the package where it was installed, next to it in a checkout."""
    package = Path(bindery.__file__).parent
    installed = package / "docs"
    return installed if installed.is_dir() else package.parents[1] / "docs"
