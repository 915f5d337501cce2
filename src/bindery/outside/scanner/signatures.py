"""Marks of known platforms, products and versions; the table is the JSON file next to this one."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

Version = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ExploitedRange:
    """Versions with a flaw that attacks use, `below` being the first without it."""

    since: Version
    below: Version
    flaw: str


@dataclass(frozen=True, slots=True)
class Product:
    """A product by its marks; the first group of `version` is its version."""

    name: str
    mark: re.Pattern[str]
    version: re.Pattern[str]
    supported_from: Version | None
    exploited: tuple[ExploitedRange, ...]


@dataclass(frozen=True, slots=True)
class Sighting:
    product: Product
    version_text: str | None

    @property
    def label(self) -> str:
        return f"{self.product.name} {self.version_text}" if self.version_text else self.product.name

    @property
    def is_unsupported(self) -> bool:
        supported_from = self.product.supported_from
        version = self._version
        return supported_from is not None and version is not None and _is_below(version, supported_from)

    @property
    def exploited_flaw(self) -> str | None:
        version = self._version
        if version is None:
            return None
        for spread in self.product.exploited:
            if not _is_below(version, spread.since) and _is_below(version, spread.below):
                return spread.flaw
        return None

    @property
    def _version(self) -> Version | None:
        return read_version(self.version_text) if self.version_text else None


@dataclass(frozen=True, slots=True)
class UnclaimedPage:
    """The page a cloud service shows for a name that no customer of it holds."""

    service: str
    suffix: str
    text: str


@dataclass(frozen=True, slots=True)
class Signatures:
    shared_platforms: tuple[str, ...]
    mail_gateways: tuple[tuple[str, str], ...]
    unclaimed_pages: tuple[UnclaimedPage, ...]
    web_software: tuple[Product, ...]
    vpn_portals: tuple[Product, ...]
    login_panels: tuple[Product, ...]
    exchange: Product

    def shared_platform_of(self, name: str) -> str | None:
        return next((suffix for suffix in self.shared_platforms if is_under(name, suffix)), None)

    def mail_gateway_of(self, name: str) -> str | None:
        return next((vendor for vendor, suffix in self.mail_gateways if is_under(name, suffix)), None)


@lru_cache(maxsize=1)
def signatures() -> Signatures:
    raw = json.loads(files(__package__).joinpath("signatures.json").read_text(encoding="utf-8"))
    return Signatures(
        shared_platforms=tuple(raw["shared_platforms"]),
        mail_gateways=tuple((row["vendor"], row["suffix"]) for row in raw["mail_gateways"]),
        unclaimed_pages=tuple(UnclaimedPage(**row) for row in raw["unclaimed_pages"]),
        web_software=tuple(_read_product(row) for row in raw["web_software"]),
        vpn_portals=tuple(_read_product(row) for row in raw["vpn_portals"]),
        login_panels=tuple(_read_product(row) for row in raw["login_panels"]),
        exchange=_read_product({"product": "Exchange"} | raw["exchange"]),
    )


def sightings(products: Sequence[Product], lines: Sequence[str]) -> Iterator[Sighting]:
    text = "\n".join(lines)
    for product in products:
        if product.mark.search(text):
            shown = product.version.search(text)
            version = next((group for group in shown.groups() if group), None) if shown else None
            yield Sighting(product, version)


def is_under(name: str, suffix: str) -> bool:
    return name == suffix or name.endswith(f".{suffix}")


def read_version(text: str) -> Version:
    # A server may show a number of any length.
    return tuple(int(part[:9]) for part in text.split("."))


def _is_below(version: Version, other: Version) -> bool:
    # 2.4 and 2.4.0 are the same version.
    width = max(len(version), len(other))
    return version + (0,) * (width - len(version)) < other + (0,) * (width - len(other))


# The rows come from our own packaged file, whose shape the tests hold fast.
def _read_product(row: dict[str, Any]) -> Product:
    flags = re.IGNORECASE | re.MULTILINE
    return Product(
        name=row["product"],
        mark=re.compile(row["pattern"], flags),
        version=re.compile(row.get("version", row["pattern"]), flags),
        supported_from=read_version(row["supported_from"]) if "supported_from" in row else None,
        exploited=tuple(
            ExploitedRange(read_version(flaw["from"]), read_version(flaw["below"]), flaw["flaw"])
            for flaw in row.get("exploited", ())
        ),
    )
