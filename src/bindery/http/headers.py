"""Headers that every answer carries unless its operation set them otherwise."""

from collections.abc import Iterable
from typing import Final, TypeAlias

from bindery.settings import Settings

RawHeaders: TypeAlias = list[tuple[bytes, bytes]]

NO_STORE: Final = "no-store"
"""For whatever holds an applicant's data: most answers, errors that echo a request among them."""
REVALIDATE: Final = "no-cache"
"""For what changes with a new version at most: kept, and asked for by its `ETag` each time."""
REVALIDATE_PRIVATELY: Final = "private, no-cache"
"""For documents, which never change: the caller may keep them, nobody in between."""

_A_YEAR_S: Final = 365 * 24 * 60 * 60


def default_headers(settings: Settings) -> RawHeaders:
    """Return the headers of answers that say nothing else."""
    headers = [
        (b"cache-control", NO_STORE.encode()),
        (b"referrer-policy", b"no-referrer"),
        (b"x-content-type-options", b"nosniff"),
    ]
    if not settings.is_demo:
        headers.append((b"strict-transport-security", f"max-age={_A_YEAR_S}".encode()))
    return headers


def with_defaults(headers: Iterable[tuple[bytes, bytes]], defaults: RawHeaders) -> RawHeaders:
    """Return the headers of an answer with those it lacks."""
    given = list(headers)
    names = {name.lower() for name, _ in given}
    return [*given, *(header for header in defaults if header[0] not in names)]
