"""How a domain's mail is protected: SPF, DMARC, the exchangers, and a mail server of one's own."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bindery.outside.scanner.connector import Connector, Host
from bindery.outside.scanner.hosts import own_addresses, registrable_of
from bindery.outside.scanner.lookups import Lookups
from bindery.outside.scanner.scan_progress import ScanProgress
from bindery.outside.scanner.signatures import sightings, signatures
from bindery.outside.scanner.web import PageFetcher

MOST_LOOKUPS: Final = 10
LOOKUP_MECHANISMS: Final = frozenset({"include", "a", "mx", "ptr", "exists", "redirect"})
LETS_ANYBODY: Final = frozenset({"+all", "all", "?all"})
SENDER_CHECKS: Final = (
    "MAIL_SPF_MISSING",
    "MAIL_SPF_PERMISSIVE",
    "MAIL_SPF_LOOKUPS",
    "MAIL_DMARC_MISSING",
    "MAIL_DMARC_NONE",
)
EXCHANGE_CHECKS: Final = ("MAIL_EXCHANGE_ONPREM", "MAIL_EXCHANGE_EOL")
MAIL_LABELS: Final = frozenset({"mail", "autodiscover", "owa"})
SMTP_PORT: Final = 25
EHLO_LINES: Final = 40
LAST_LINE: Final = re.compile(rb"\d{3} ")


@dataclass(slots=True)
class _Count:
    lookups: int = 0


@dataclass(frozen=True, slots=True)
class SpfVerdict:
    """The ending of an SPF record, and the look-ups that it costs (RFC 7208 allows 10)."""

    ending: str | None
    lookups: int

    @property
    def lets_anybody_send(self) -> bool:
        """Whether a sender the record does not name is let through; without an ending it is."""
        return self.ending is None or self.ending in LETS_ANYBODY


def spf_records(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(text for text in texts if text.lower().split(" ", 1)[0] == "v=spf1")


async def judge_spf(record: str, lookups: Lookups) -> SpfVerdict:
    count = _Count()
    ending = await _follow(record, lookups, count)
    return SpfVerdict(ending, count.lookups)


async def _follow(record: str, lookups: Lookups, count: _Count) -> str | None:
    redirect = None
    for term in record.lower().split()[1:]:
        if term.lstrip("+-~?") == "all":
            # The terms after `all` never count, not even a redirect.
            return term
        kind, target = _taken_apart(term)
        if kind in LOOKUP_MECHANISMS:
            count.lookups += 1
        if kind == "redirect":
            redirect = target
        elif kind == "include" and count.lookups <= MOST_LOOKUPS:
            await _follow_target(target, lookups, count)
    if redirect is None:
        return None
    return await _follow_target(redirect, lookups, count) if count.lookups <= MOST_LOOKUPS else "-all"


async def _follow_target(target: str, lookups: Lookups, count: _Count) -> str | None:
    # The target of a macro depends on the mail, so it cannot be judged.
    if "%" in target or not target:
        return "-all"
    records = spf_records(await lookups.texts(target))
    return await _follow(records[0], lookups, count) if records else None


def _taken_apart(term: str) -> tuple[str, str]:
    bare = term.lstrip("+-~?")
    for separator in (":", "=", "/"):
        kind, found, target = bare.partition(separator)
        if found and kind.isalnum():
            return kind, target if separator != "/" else ""
    return bare, ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailProbe:
    lookups: Lookups
    connector: Connector
    progress: ScanProgress
    browser: PageFetcher

    async def check_senders(self, exchangers: Sequence[str]) -> None:
        domain = self.progress.domain
        receiving = [exchanger for exchanger in exchangers if exchanger]
        if not receiving:
            how = "It says so with a null MX." if exchangers else "It has no MX record."
            self.progress.find("MAIL_MX_NONE_NULL", domain, how)
            self.progress.leave_undecided(*SENDER_CHECKS, "MAIL_STARTTLS")
            return
        for exchanger in receiving:
            if vendor := signatures().mail_gateway_of(exchanger):
                self.progress.find("MAIL_MX_SEG", domain, f"{exchanger} belongs to {vendor}.")
        with self.progress.attempt(*SENDER_CHECKS):
            await self._check_spf(domain)
            await self._check_dmarc(domain)

    async def check_exchangers(self, hosts: Sequence[Host], exchangers: Sequence[str]) -> None:
        """Ask the applicant's own exchangers whether they encrypt; port 25 is often closed to scanners."""
        own = [host for host in hosts if host.name in exchangers and not host.shared_platform]
        if not own:
            self.progress.leave_undecided("MAIL_STARTTLS")
            return
        with self.progress.attempt("MAIL_STARTTLS"):
            for host in own:
                offers = await self._offers_starttls(host)
                if offers is None:
                    self.progress.leave_undecided("MAIL_STARTTLS")
                elif not offers:
                    self.progress.find("MAIL_STARTTLS", host.name, "EHLO lists no STARTTLS.")

    async def check_exchange(self, hosts: Sequence[Host], exchangers: Sequence[str]) -> None:
        mail_hosts = [host for host in hosts if host.name in exchangers or _is_named_for_mail(host.name)]
        with self.progress.attempt(*EXCHANGE_CHECKS):
            for address, host in own_addresses(mail_hosts):
                await self._look_for_exchange(host.at(address))

    async def _check_spf(self, domain: str) -> None:
        records = spf_records(await self.lookups.texts(domain))
        if not records:
            self.progress.find("MAIL_SPF_MISSING", domain, "No TXT record begins with v=spf1.")
            self.progress.leave_undecided("MAIL_SPF_PERMISSIVE", "MAIL_SPF_LOOKUPS")
            return
        verdict = await judge_spf(records[0], self.lookups)
        if len(records) > 1:
            self.progress.find("MAIL_SPF_LOOKUPS", domain, f"There are {len(records)} SPF records.")
        elif verdict.lookups > MOST_LOOKUPS:
            self.progress.find("MAIL_SPF_LOOKUPS", domain, f"It needs more than {MOST_LOOKUPS} look-ups.")
        if verdict.lets_anybody_send:
            self.progress.find(
                "MAIL_SPF_PERMISSIVE", domain, f"The record ends in {verdict.ending or 'no verdict'}."
            )

    async def _check_dmarc(self, domain: str) -> None:
        organization = registrable_of(domain) or domain
        tags = await self._dmarc_tags(domain)
        kind = "p"
        if tags is None and organization != domain:
            tags = await self._dmarc_tags(organization)
            kind = "sp" if tags and "sp" in tags else "p"
        if tags is None:
            self.progress.find("MAIL_DMARC_MISSING", domain, f"No DMARC record at _dmarc.{domain}.")
            self.progress.leave_undecided("MAIL_DMARC_NONE")
        elif tags.get(kind, "none") not in {"quarantine", "reject"}:
            self.progress.find(
                "MAIL_DMARC_NONE", domain, f"The policy is {kind}={tags.get(kind, 'none')[:20]}."
            )

    async def _dmarc_tags(self, domain: str) -> dict[str, str] | None:
        for text in await self.lookups.texts(f"_dmarc.{domain}"):
            tags = [part.strip().lower().partition("=") for part in text.split(";")]
            if tags[0][0].strip() == "v" and tags[0][2].strip() == "dmarc1":
                return {key.strip(): value.strip() for key, _, value in tags}
        return None

    async def _offers_starttls(self, host: Host) -> bool | None:
        """Greet the server and return its extensions; None if nobody answers as a mail server."""
        try:
            async with (
                self.connector.connection(host, SMTP_PORT) as (reader, writer),
                asyncio.timeout(self.connector.limits.read_s),
            ):
                if not (await _read_reply(reader)).startswith(b"220"):
                    return None
                writer.write(b"EHLO scanner.invalid\r\n")
                extensions = await _read_reply(reader)
                writer.write(b"QUIT\r\n")
        # Silence, a refusal, or a line without end.
        except (OSError, ValueError):
            return None
        return b"STARTTLS" in extensions.upper() if extensions.startswith(b"250") else None

    async def _look_for_exchange(self, host: Host) -> None:
        try:
            visit = await self.browser.visit(host, f"https://{host.name}/owa/")
        except TimeoutError:
            raise
        except OSError:
            return
        # Web mail of a shared platform further along is not the applicant's server.
        pages = [page for page in visit.pages if not page.host.shared_platform]
        lines = [line for page in pages for line in (*page.facts, page.body)]
        for server in sightings([signatures().exchange], lines):
            self.progress.find("MAIL_EXCHANGE_ONPREM", host.name, f"{server.label} answers at /owa/.")
            if server.is_unsupported:
                self.progress.find(
                    "MAIL_EXCHANGE_EOL", host.name, f"{server.label} gets no security updates."
                )


def _is_named_for_mail(name: str) -> bool:
    return name.partition(".")[0] in MAIL_LABELS


async def _read_reply(reader: asyncio.StreamReader) -> bytes:
    reply = b""
    for _ in range(EHLO_LINES):
        line = await reader.readline()
        reply += line
        if not line or LAST_LINE.match(line):
            break
    return reply
