"""Which pages the guide has, and the texts they are made from."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import bindery


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its name in the address, the file that holds its text, and where it stands in the menu."""

    name: str
    file: str
    group: str

    @property
    def address(self) -> str:
        """Return where the page is served."""
        return "/docs" if self.name == "overview" else f"/docs/{self.name}"


PAGES: Final = (
    Page("overview", "guide/overview.md", "Start"),
    Page("quickstart", "guide/quickstart.md", "Start"),
    Page("demo", "guide/demo.md", "Start"),
    Page("sdks", "sdks.md", "Start"),
    Page("command-line", "guide/command-line.md", "Start"),
    Page("requests", "guide/requests.md", "Quote"),
    Page("questions", "guide/questions.md", "Quote"),
    Page("waiting", "guide/waiting.md", "Quote"),
    Page("referrals", "guide/referrals.md", "Quote"),
    Page("lifecycle", "lifecycle.md", "Quote"),
    Page("binding", "guide/binding.md", "Bind"),
    Page("documents", "guide/documents.md", "Bind"),
    Page("lists", "guide/lists.md", "Run"),
    Page("webhooks", "webhooks.md", "Run"),
    Page("errors", "guide/errors.md", "Run"),
    Page("error-codes", "error-codes.md", "Run"),
    Page("going-live", "guide/going-live.md", "Run"),
    Page("changelog", "CHANGELOG.md", "Run"),
)
"""In the order of the menu."""

PAGE_BY_NAME: Final = {page.name: page for page in PAGES}
PAGE_BY_FILE: Final = {page.file: page for page in PAGES}


@cache
def source(page: Page) -> str:
    """Return the text of a page, in Markdown."""
    return _file(page.file).read_text("utf-8")


@cache
def picture(name: str) -> bytes | None:
    """Return a picture that the pages show; None where there is no such picture."""
    place = _folder() / "images" / name
    return place.read_bytes() if place.suffix == ".svg" and place.is_file() else None


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
