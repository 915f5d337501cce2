"""The servers that one database address names: which of them takes writes, and connecting to that one."""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qs, unquote

# Python's own way to take an address apart refuses, from some version on, an IPv6 host that is not the first.
_ADDRESS: Final = re.compile(
    r"(?P<scheme>[^:/?#]*://)?(?P<servers>[^/?#]*)(?P<rest>[^?#]*(?:\?(?P<query>[^#]*))?.*)"
)
_PORT: Final = re.compile(r"(?P<name>\[[^]]*\]|[^:]*)(?::(?P<port>[0-9]*))?")


@dataclass(frozen=True, slots=True)
class HostPort:
    """A server of an address; None is PostgreSQL's usual port, or that of the environment."""

    name: str
    port: int | None = None

    def __str__(self) -> str:
        return self.name if self.port is None else f"{self.name}:{self.port}"


def hosts_of(dsn: str) -> tuple[HostPort, ...]:
    """Return the servers that an address names, in its order; none where it names no more than one.

    They are between `@` and the database, or in `host` and `port` of the query, separated by commas.
    """
    address = _take_apart(dsn)
    query = parse_qs(address["query"] or "")
    listed = address["servers"].rpartition("@")[2]
    if "," in listed:
        found = [_host(text) for text in listed.split(",")]
    elif "," in (names := query.get("host", [""])[-1]):
        # One port holds for all of them.
        ports = query.get("port", [""])[-1].split(",")
        apart = names.split(",")
        ports = ports * len(apart) if len(ports) == 1 else ports
        if len(ports) != len(apart):
            raise ValueError("the database's address must have one port, or one for each of its hosts")
        found = [HostPort(name, int(port) if port else None) for name, port in zip(apart, ports, strict=True)]
    else:
        found = []
    return tuple(found)


def without_hosts(dsn: str) -> str:
    """Return an address without the servers between `@` and the database, for those who name one apart."""
    address = _take_apart(dsn)
    user, at, _ = address["servers"].rpartition("@")
    return f"{address['scheme'] or ''}{user}{at}{address['rest']}"


def _take_apart(dsn: str) -> re.Match[str]:
    match = _ADDRESS.fullmatch(dsn)
    assert match is not None, "each part may be empty"
    return match


def _host(text: str) -> HostPort:
    match = _PORT.fullmatch(text)
    if match is None or not match["name"]:
        raise ValueError(f"{text!r} is not a host of the database's address")
    port = match["port"]
    return HostPort(unquote(match["name"].strip("[]")), int(port) if port else None)
