"""Everything that a service hands out under `/packages/`, made when it is first asked for."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import msgspec

from bindery.api.packages.archives import npm_tarball, python_wheel
from bindery.api.packages.bruno import bruno_collection
from bindery.api.packages.http_file import http_file
from bindery.api.packages.postman import is_demo, postman_collection
from bindery.base.nearest import nearest

Document = dict[str, Any]

_PYTHON: Final = "pip install {address}"
_NPM: Final = "npm install {address}"


@dataclass(frozen=True)
class Package:
    name: str
    title: str
    media_type: str
    content: bytes
    install: str = "curl -sSO {address}"

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def etag(self) -> str:
        return f'"{self.sha256[:32]}"'

    @property
    def size(self) -> str:
        return f"{len(self.content) / 1000:,.0f} kB"


def packages_for(document: Document, complete: Document) -> Iterator[Package]:
    """Make the packages: collections of this environment, and clients of the complete document.

    A client package is the same everywhere, with the demo's operations and their types.
    """
    name, content = python_wheel()
    yield Package(name, "Client for Python", "application/zip", content, _PYTHON)
    name, content = npm_tarball(complete)
    yield Package(name, "Client for TypeScript and JavaScript", "application/gzip", content, _NPM)
    collection = msgspec.json.format(msgspec.json.encode(postman_collection(document)), indent=1)
    yield Package("bindery.postman_collection.json", "Postman collection", "application/json", collection)
    if is_demo(document):
        base = str(document["servers"][0]["url"]).rstrip("/")
        yield Package("bindery.bruno.zip", "Bruno collection", "application/zip", bruno_collection(base))
        text = http_file(base).encode()
        yield Package("bindery.http", "Requests as a .http file", "text/plain; charset=utf-8", text)


class Shelf:
    def __init__(self, document: Callable[[], bytes], complete: Callable[[], bytes]) -> None:
        self._document = document
        self._complete = complete

    @cached_property
    def packages(self) -> dict[str, Package]:
        document, complete = (msgspec.json.decode(made()) for made in (self._document, self._complete))
        return {package.name: package for package in packages_for(document, complete)}

    def meant(self, name: str) -> str | None:
        return nearest(name, self.packages)
