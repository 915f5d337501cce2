"""Everything an operator can set, read once at start from `BINDERY_*` variables or a `.env` file."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from dotenv import dotenv_values

from bindery.base.errors import Misconfigured

PREFIX: Final = "BINDERY_"
DEMO_TOKEN_FILE: Final = "demo_token"  # noqa: S105 - the name of a file
"""In the data folder: the token that `bindery demo` gives to everybody who visits it."""
ENV_FILE: Final = Path(".env")
MIN_SECRET_LENGTH: Final = 32
MIN_DISTINCT_CHARACTERS: Final = 12
HIGHEST_PORT: Final = 65_535


class Environment(StrEnum):
    """Where this service runs; a token of one environment opens nothing in the other."""

    DEMO = "demo"
    PRODUCTION = "production"


CLAIMS: Final = {Environment.DEMO: "demo", Environment.PRODUCTION: "prod"}
"""How a token names its environment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of one process; `docs/settings.md` is written from this class."""

    environment: Annotated[Environment, "`demo` or `production`."] = Environment.DEMO
    data_dir: Annotated[
        Path, "Folder for the embedded database, secrets and files; closed to other accounts."
    ] = Path(".bindery")
    database_url: Annotated[
        str,
        "PostgreSQL 14 or newer to use, as `postgresql://…`; of several servers, `postgresql://…@a,b/…`, the "
        "one that takes writes. Without it an embedded server runs under the data folder. Required in "
        "production.",
    ] = ""
    database_pooled: Annotated[
        bool,
        "`yes` or `no`: whether `BINDERY_DATABASE_URL` is that of PgBouncer in transaction mode.",
    ] = False
    database_direct_url: Annotated[
        str,
        "The server behind the pooler, for listening, migrations and the queue. Required with "
        "`BINDERY_DATABASE_POOLED=yes`.",
    ] = ""
    replica_url: Annotated[
        str,
        "A standby of that server, or several: lists, reports, exports and the operators' overview are read "
        "from it while it has everything that the primary has. Without it, from the primary.",
    ] = ""
    blobs_url: Annotated[
        str,
        "Where generated and uploaded files are kept: `s3://bucket/prefix`, `gs://…`, `az://…`, `file:///…`; "
        "credentials come from the cloud's usual variables. Without it, a folder under the data folder.",
    ] = ""
    secret_key: Annotated[
        str,
        "Signs tokens. At least 32 random characters. Required in production; the demo makes one.",
    ] = ""
    old_secret_keys: Annotated[
        tuple[str, ...],
        "Former secret keys, comma-separated: what was sealed with them is opened and sealed again.",
    ] = ()
    base_url: Annotated[str, "Public address of the API, ending in `/v2`; https in production."] = (
        "http://127.0.0.1:8000/v2"
    )
    platform_url: Annotated[
        str,
        "Public address of the broker platform, to which mails lead; https in production. Without it, "
        "that of `BINDERY_BASE_URL` without its path.",
    ] = "http://127.0.0.1:8000"
    trusted_proxies: Annotated[
        tuple[str, ...],
        "Addresses or networks of the proxies in front, comma-separated: the caller's address is read from "
        "their `X-Forwarded-For`. Wrong passwords are counted by it; production refuses `0.0.0.0/0`.",
    ] = ("127.0.0.1",)
    smtp_url: Annotated[
        str,
        "Mail server, as `smtps://user:password@host` or `smtp://…`; without it mail stays unsent. With a "
        "user name, `smtp://` insists on STARTTLS: a password never travels in the clear.",
    ] = ""
    mail_from: Annotated[str, "Sender of the service's mail."] = "Bindery <no-reply@bindery.example>"
    business_zone: Annotated[str, "Time zone of business dates."] = "America/New_York"
    programs: Annotated[
        tuple[str, ...], "Program codes that `policy.program_code` accepts, comma-separated."
    ] = ()
    price_explanation: Annotated[
        str,
        "How much brokers are told of a price: `none`, `short` (its largest steps in dollars, and what would "
        "lower it) or `full` (every factor of the tariff too).",
    ] = "short"
    sanctions_file: Annotated[
        Path | None,
        "Text file of sanctioned parties, one name per line; a match is referred, with the "
        "advice to decline.",
    ] = None
    seal_key_file: Annotated[
        Path | None, "PEM file of the key, certificate and chain that seal documents; else one is made."
    ] = None
    timestamp_url: Annotated[str, "RFC 3161 server that stamps the time of a seal; https in production."] = ""
    webhook_ports: Annotated[
        tuple[int, ...],
        "Ports that webhook endpoints may use in production, comma-separated; the demo takes any.",
    ] = (443, 8443)
    metrics_token: Annotated[
        str,
        "Opens `/metrics`, sent as a bearer token. At least 32 random characters. Without it `/metrics` does "
        "not exist in production, and is open in the demo.",
    ] = ""
    metrics_port: Annotated[
        int | None,
        "Port on which `bindery work` answers `/metrics`, with the metrics token if one is set; without it "
        "the worker opens no port.",
    ] = None
    metrics_host: Annotated[str, "Address of that port."] = "127.0.0.1"
    drain_seconds: Annotated[
        int,
        "How long `bindery serve` goes on after SIGTERM, 0 to 300 seconds: it serves as before and answers "
        "503 at `/readyz`, so that a load balancer turns to others first. SIGINT ends it without that.",
    ] = 5
    pool_size: Annotated[int, "Database connections per process, 2 to 200."] = 10
    presses: Annotated[
        int | None,
        "Child processes per process that make documents, 0 to 64, started when needed; without it, one per "
        "core. With 0 the process makes them itself, in threads.",
    ] = None
    long_polls: Annotated[
        int,
        "Requests with `Prefer: wait` per partner that one process holds at once, 1 to 10,000; ten times as "
        "many in the demo.",
    ] = 20
    reads_per_minute: Annotated[
        int, "Requests per partner and minute that only read, 1 to 1,000,000; ten times as many in the demo."
    ] = 1_200
    submissions_per_minute: Annotated[
        int, "Quote requests per partner and minute, 1 to 1,000,000; ten times as many in the demo."
    ] = 240
    writes_per_minute: Annotated[
        int,
        "Other requests per partner and minute that change something, 1 to 1,000,000; ten times as many in "
        "the demo.",
    ] = 120
    uploads_per_minute: Annotated[
        int, "Uploads per partner and minute, 1 to 1,000,000; ten times as many in the demo."
    ] = 60
    desk_answer_hours: Annotated[
        int, "Hours of working days after which something on the underwriters' desk is late, 1 to 240."
    ] = 24
    brokers_see_underwriters: Annotated[
        bool,
        "`yes` or `no`: whether a company's history names underwriters to brokers too; never their notes.",
    ] = False
    authority_required: Annotated[
        bool, "`yes` or `no`: whether underwriters without a letter of authority may decide nothing."
    ] = False
    diligent_search: Annotated[
        bool,
        "`yes` or `no`: whether new quotes owe the record of a diligent search before the bind, where the "
        "state asks for one.",
    ] = False
    log_level: Annotated[str, "`debug`, `info`, `warning` or `error`."] = "info"

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.business_zone)

    @property
    def allows_local_endpoints(self) -> bool:
        """Whether webhooks may be on this machine, on any port and without TLS."""
        return self.is_demo

    @property
    def is_demo(self) -> bool:
        return self.environment is Environment.DEMO

    @property
    def most_long_polls(self) -> int:
        return self.long_polls * self._generosity

    @property
    def requests_per_minute(self) -> dict[str, int]:
        return {
            "reads": self.reads_per_minute * self._generosity,
            "submissions": self.submissions_per_minute * self._generosity,
            "writes": self.writes_per_minute * self._generosity,
            "uploads": self.uploads_per_minute * self._generosity,
        }

    @property
    def _generosity(self) -> int:
        return 10 if self.is_demo else 1


def load_settings(
    variables: Mapping[str, str] | None = None, *, data_dir: Path | None = None, env_file: Path = ENV_FILE
) -> Settings:
    """Read the settings; the environment wins over the `.env` file, and `Misconfigured` lists the flaws."""
    given = {**variables_in_file(env_file), **(os.environ if variables is None else variables)}
    values: dict[str, Any] = {  # one entry a setting, each of its own type
        setting.name: read_value(setting.name, given[PREFIX + setting.name.upper()])
        for setting in fields(Settings)
        if given.get(PREFIX + setting.name.upper())
    }
    if data_dir is not None:
        values["data_dir"] = data_dir
    if "base_url" in values and "platform_url" not in values:
        values["platform_url"] = origin_of(values["base_url"])
    settings = Settings(**values)
    _check(settings)
    return settings


def variables_in_file(env_file: Path) -> dict[str, str]:
    if not env_file.is_file():
        return {}
    return {name: value or "" for name, value in dotenv_values(env_file).items()}


_PER_MINUTE: Final = (1, 1_000_000)
_RANGES: Final = {
    "pool_size": (2, 200),
    "drain_seconds": (0, 300),
    "presses": (0, 64),
    "desk_answer_hours": (1, 240),
    "long_polls": (1, 10_000),
    "reads_per_minute": _PER_MINUTE,
    "submissions_per_minute": _PER_MINUTE,
    "writes_per_minute": _PER_MINUTE,
    "uploads_per_minute": _PER_MINUTE,
}


def read_value(name: str, text: str) -> object:  # noqa: PLR0911 - one for each kind
    match name:
        case "environment":
            try:
                return Environment(text.lower())
            except ValueError:
                raise _bad(name, "must be demo or production") from None
        case "data_dir" | "sanctions_file" | "seal_key_file":
            return Path(text).expanduser()
        case "programs" | "old_secret_keys":
            return tuple(code.strip() for code in text.split(",") if code.strip())
        case "trusted_proxies":
            return tuple(_network(name, part.strip()) for part in text.split(","))
        case "webhook_ports":
            return tuple(_port(name, port.strip()) for port in text.split(","))
        case "metrics_port":
            return _port(name, text)
        case _ if name in _RANGES:
            return _whole_number(name, text, *_RANGES[name])
        case "brokers_see_underwriters" | "authority_required" | "diligent_search" | "database_pooled":
            return _yes_or_no(name, text)
        case _:
            return text


def _network(name: str, text: str) -> str:
    try:
        return str(ip_network(text, strict=False))
    except ValueError:
        raise _bad(name, "must be addresses or networks, such as 10.0.0.0/8, separated by commas") from None


def _whole_number(name: str, text: str, least: int, most: int) -> int:
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(most))
    if not is_number or not least <= int(text) <= most:
        raise _bad(name, f"must be a whole number from {least} to {most:,}")
    return int(text)


def _yes_or_no(name: str, text: str) -> bool:
    match text.strip().lower():
        case "yes" | "true" | "on" | "1":
            return True
        case "no" | "false" | "off" | "0":
            return False
        case _:
            raise _bad(name, "must be yes or no")


def _port(name: str, text: str) -> int:
    if not (
        text.isascii() and text.isdecimal() and len(text) <= len("65535") and 0 < int(text) <= HIGHEST_PORT
    ):
        raise _bad(name, f"must list port numbers from 1 to {HIGHEST_PORT}")
    return int(text)


def _check(settings: Settings) -> None:  # noqa: C901 - one line a rule
    try:
        ZoneInfo(settings.business_zone)
    except (ZoneInfoNotFoundError, ValueError):
        raise _bad("business_zone", f"is not a known time zone: {settings.business_zone!r}") from None
    if settings.log_level.lower() not in {"debug", "info", "warning", "error"}:
        raise _bad("log_level", "must be debug, info, warning or error")
    if settings.price_explanation not in {"none", "short", "full"}:
        raise _bad("price_explanation", "must be none, short or full")
    if settings.database_pooled and not (settings.database_url and settings.database_direct_url):
        raise _bad(
            "database_direct_url" if settings.database_url else "database_url",
            "is required with BINDERY_DATABASE_POOLED=yes: a pooler does not pass on what listeners wait for",
        )
    if settings.database_direct_url and not settings.database_pooled:
        raise _bad("database_direct_url", "goes with BINDERY_DATABASE_POOLED=yes, which is not set")
    if settings.sanctions_file is not None and not settings.sanctions_file.is_file():
        raise _bad("sanctions_file", f"is not a file: {settings.sanctions_file}")
    if settings.smtp_url and not _is_server(settings.smtp_url, "smtp", "smtps"):
        raise _bad("smtp_url", "must be smtp://host or smtps://host, with a port from 1 to 65535 if any")
    if settings.timestamp_url and not _is_server(settings.timestamp_url, "http", "https"):
        raise _bad("timestamp_url", "must be an http or https address")
    for name in ("secret_key", "metrics_token"):
        if (secret := getattr(settings, name)) and (flaw := weakness_of(secret)):
            raise _bad(name, flaw)
    for flaw in filter(None, map(weakness_of, settings.old_secret_keys)):
        raise _bad("old_secret_keys", f"has a key that {flaw}")
    if not settings.is_demo:
        _check_production(settings)


def _check_production(settings: Settings) -> None:
    if not settings.database_url:
        raise _bad("database_url", "is required in production")
    if not settings.secret_key:
        raise _bad("secret_key", "is required in production")
    for name in ("base_url", "platform_url", "timestamp_url"):
        if (url := getattr(settings, name)) and not _is_https(url):
            raise _bad(name, "must be an https address in production")
    if not urlsplit(settings.base_url).path.removesuffix("/").endswith("/v2"):
        raise _bad("base_url", "must end in /v2")
    if any(ip_network(network).prefixlen == 0 for network in settings.trusted_proxies):
        raise _bad("trusted_proxies", "must not trust every address in production; name the proxies")


def _is_https(url: str) -> bool:
    return _is_server(url, "https") and not {"?", "#", "@"} & set(url)


def origin_of(url: str) -> str:
    return urlsplit(url)._replace(path="", query="", fragment="").geturl()


def _is_server(url: str, *schemes: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:  # not a valid port
        return False


def weakness_of(secret: str) -> str:
    if len(secret) < MIN_SECRET_LENGTH:
        return f"is weak: it has {len(secret)} characters and needs at least {MIN_SECRET_LENGTH}"
    if len(set(secret)) < MIN_DISTINCT_CHARACTERS:
        return "is weak: it repeats a few characters; use a random one"
    return ""


def _bad(name: str, what: str) -> Misconfigured:
    return Misconfigured(f"{PREFIX}{name.upper()} {what}.")
