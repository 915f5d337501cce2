"""The changelog as an Atom feed: an entry for each part of a release."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from bindery.api.guide.markdown import anchor_of, render_part
from bindery.api.guide.pages import PAGE_BY_NAME, changed_at, source

CHANGELOG: Final = PAGE_BY_NAME["changelog"]
UNRELEASED: Final = "unreleased"


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """What changed in one respect, with the release that has it."""

    release: str
    title: str
    anchor: str
    updated: datetime
    html: str

    @property
    def id(self) -> str:
        """Return a name that stays when the text changes."""
        return f"urn:bindery:changelog:{self.release}:{anchor_of(self.title)}"


def feed_entries() -> list[FeedEntry]:
    """Return what changed, newest first."""
    return list(_entries(source(CHANGELOG), changed_at(CHANGELOG)))


def _entries(text: str, changed: datetime) -> Iterator[FeedEntry]:
    """Take the changelog apart. What is not released yet has the day on which the text was written last."""
    taken: dict[str, int] = {}
    for release in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        heading, _, body = release.partition("\n")
        version, day = heading.split(", ")
        updated = changed if day == UNRELEASED else datetime.fromisoformat(day).replace(tzinfo=UTC)
        for part in re.split(r"^### ", body, flags=re.MULTILINE)[1:]:
            title, _, said = part.partition("\n")
            slug = anchor_of(title)
            again = taken.get(slug, 0)
            taken[slug] = again + 1
            anchor = f"{slug}-{again}" if again else slug
            yield FeedEntry(version, title, anchor, updated, render_part(said, CHANGELOG))
