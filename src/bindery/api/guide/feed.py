"""The changelog as an Atom feed: an entry for each part of a release."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from bindery.api.guide.markdown import anchor_of, render_part
from bindery.api.guide.pages import PAGE_BY_NAME, source

CHANGELOG: Final = PAGE_BY_NAME["changelog"]
HEADING: Final = re.compile(r"(?P<version>[\d.]+), (?:unreleased, as of )?(?P<day>\d{4}-\d\d-\d\d)")
"""A release and its day. What is not released yet has the day that its author gave it: that of a file is
another one in every checkout, and readers of the feed would be told of news that does not exist."""


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


def feed_entries() -> list[FeedEntry]:
    return list(entries_of(source(CHANGELOG)))


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
