"""Which pages the guide has, and the texts they are made from."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import bindery


@dataclass(frozen=True, slots=True)
class GuidePage:
    """One page: its name in the address, the file that holds its text, and where it stands in the menu."""

    name: str
    file: str
    group: str

    @property
    def address(self) -> str:
        """Return where the page is served."""
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
    GuidePage("binding", "guide/binding.md", "Bind"),
    GuidePage("documents", "guide/documents.md", "Bind"),
    GuidePage("lists", "guide/lists.md", "Run"),
    GuidePage("webhooks", "webhooks.md", "Run"),
    GuidePage("errors", "guide/errors.md", "Run"),
    GuidePage("error-codes", "error-codes.md", "Run"),
    GuidePage("going-live", "guide/going-live.md", "Run"),
    GuidePage("changelog", "CHANGELOG.md", "Run"),
)
"""In the order of the menu."""

PAGE_BY_NAME: Final = {page.name: page for page in PAGES}
PAGE_BY_FILE: Final = {page.file: page for page in PAGES}


@cache
def source(page: GuidePage) -> str:
    """Return the text of a page, in Markdown."""
    return _file(page.file).read_text("utf-8")


def _file(name: str) -> Path:
    """Find a file of the docs; the changelog is next to them in a checkout."""
    inside = _folder() / name
    return inside if inside.exists() else _folder().parent / name


@cache
def _folder() -> Path:
    """Find the docs: inside the package where it was installed, next to it in a checkout."""
    package = Path(bindery.__file__).parent
    installed = package / "docs"
    return installed if installed.is_dir() else package.parents[1] / "docs"
