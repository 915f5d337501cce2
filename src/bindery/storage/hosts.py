"""The servers that one database address names: which of them takes writes, and connecting to that one."""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

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
    split = urlsplit(dsn)
    query = parse_qs(split.query)
    listed = split.netloc.rpartition("@")[2]
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


def _host(text: str) -> HostPort:
    match = _PORT.fullmatch(text)
    if match is None or not match["name"]:
        raise ValueError(f"{text!r} is not a host of the database's address")
    port = match["port"]
    return HostPort(unquote(match["name"].strip("[]")), int(port) if port else None)
