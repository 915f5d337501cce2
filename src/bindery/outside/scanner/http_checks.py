"""The web pages of a host: where they lead, what their headers say, which software shows itself."""

from dataclasses import dataclass
from typing import Final

from bindery.outside.scanner.connector import Host
from bindery.outside.scanner.scan_progress import ScanProgress
from bindery.outside.scanner.signatures import is_under, sightings, signatures
from bindery.outside.scanner.tls_checks import HTTPS_PORT, Certificate, TlsProbe
from bindery.outside.scanner.web import Fetch, FetchedPage, PageFetcher

SOFTWARE_CHECKS: Final = ("HTTP_BANNER", "HTTP_EOL", "HTTP_EOL_CRITICAL", "HTTP_LOGIN_PANEL")
SITE_CHECKS: Final = ("TLS_NONE", "HTTP_NO_REDIRECT", "HTTP_HSTS", "HTTP_HEADERS", "DNS_DANGLING")
PORTAL_CHECKS: Final = ("VPN_PORTAL", "VPN_UNPATCHED")
PORTAL_PORTS: Final = (443, 4443, 8443, 10443)
VERSION_HEADERS: Final = ("server", "x-powered-by")
LAST_JUDGED_STATUS: Final = 499
"""A server error says nothing about how the site is set up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebProbe:
    browser: PageFetcher
    progress: ScanProgress
    tls: TlsProbe

    async def check_site(self, host: Host) -> None:
        with self.progress.attempt(*SITE_CHECKS, *SOFTWARE_CHECKS, *PORTAL_CHECKS):
            plain = await self._visit(host, f"http://{host.name}/")
            secure = await self._visit(host, f"https://{host.name}/")
            self._judge_ways_in(host, plain, secure)
            visit = secure or plain
            if visit is not None:
                self._judge_headers(host.name, visit.landing)
                self._judge_software(host.name, visit.landing)
                self._judge_claimed(host, visit.landing)
            if secure is not None:
                self._judge_portal(host, HTTPS_PORT, secure)

    async def check_portal(self, host: Host, port: int) -> None:
        with self.progress.attempt(*SOFTWARE_CHECKS, *PORTAL_CHECKS):
            visit = await self._visit(host, f"https://{host.name}:{port}/")
            if visit is not None:
                certificate = await self.tls.read_certificate(host, port)
                self._judge_software(host.name, visit.landing)
                self._judge_portal(host, port, visit, certificate)

    async def _visit(self, host: Host, url: str) -> Fetch | None:
        try:
            visit = await self.browser.visit(host, url)
        except TimeoutError:
            raise
        # Nothing accepts, or it speaks neither TLS nor HTTP: there is no site to judge.
        except OSError:
            return None
        if visit.went_no_further:
            self.progress.note(f"{host.name}: sends visitors on to {visit.went_no_further[:120]}")
        return visit

    def _judge_ways_in(self, host: Host, plain: Fetch | None, secure: Fetch | None) -> None:
        if plain is None and secure is None:
            self.progress.leave_undecided("HTTP_HSTS", "HTTP_HEADERS")
        elif secure is None:
            self.progress.find("TLS_NONE", host.name, "The site answers on port 80 and not on port 443.")
        elif plain is not None and not plain.reached_https:
            self.progress.find(
                "HTTP_NO_REDIRECT", host.name, f"Port 80 answers {plain.landing.status} without HTTPS."
            )

    def _judge_headers(self, host: str, page: FetchedPage) -> None:
        if page.status > LAST_JUDGED_STATUS:
            self.progress.leave_undecided("HTTP_HSTS", "HTTP_HEADERS")
            return
        if page.is_secure and not _keeps_https(page):
            self.progress.find("HTTP_HSTS", host, "The header is missing or switches itself off.")
        missing = _missing_headers(page) if page.redirect is None else ()
        if missing:
            self.progress.find("HTTP_HEADERS", host, f"Missing: {', '.join(missing)}.")

    def _judge_software(self, host: str, page: FetchedPage) -> None:
        if page.host.shared_platform:
            # The software is the platform's, not the applicant's.
            self.progress.leave_undecided(*SOFTWARE_CHECKS)
            return
        for name in VERSION_HEADERS:
            shown = page.header(name) or ""
            if any(character.isdigit() for character in shown.partition("/")[2]):
                self.progress.find("HTTP_BANNER", host, f"{name}: {shown[:80]}")
        for software in sightings(signatures().web_software, page.facts):
            if software.exploited_flaw:
                self.progress.find(
                    "HTTP_EOL_CRITICAL", host, f"{software.label} has the flaw {software.exploited_flaw}."
                )
            if software.is_unsupported:
                self.progress.find("HTTP_EOL", host, f"{software.label} gets no security updates.")
        for panel in sightings(signatures().login_panels, page.facts):
            self.progress.find(
                "HTTP_LOGIN_PANEL", host, f"The root page is the login of {panel.product.name}."
            )

    def _judge_portal(
        self, host: Host, port: int, visit: Fetch, certificate: Certificate | None = None
    ) -> None:
        pages = [page for page in visit.pages if not page.host.shared_platform]
        lines = [line for page in pages for line in (*page.facts, page.body)]
        if certificate is not None:
            lines.append(f"certificate: {certificate.subject}")
        for portal in sightings(signatures().vpn_portals, lines):
            self.progress.find("VPN_PORTAL", host.name, f"{portal.product.name} answers on port {port}.")
            if portal.exploited_flaw:
                self.progress.find(
                    "VPN_UNPATCHED", host.name, f"{portal.label} has the flaw {portal.exploited_flaw}."
                )

    def _judge_claimed(self, host: Host, page: FetchedPage) -> None:
        for unclaimed in signatures().unclaimed_pages:
            leads_there = any(is_under(alias, unclaimed.suffix) for alias in host.aliases)
            if leads_there and unclaimed.text in page.body:
                self.progress.find(
                    "DNS_DANGLING", host.name, f"{unclaimed.service} says that nobody holds this name."
                )


def _keeps_https(page: FetchedPage) -> bool:
    directives = [
        part.strip().lower() for part in (page.header("strict-transport-security") or "").split(";")
    ]
    ages = [part.partition("=")[2].strip('" ') for part in directives if part.startswith("max-age")]
    return any(age.isdecimal() and age.strip("0") for age in ages)


def _missing_headers(page: FetchedPage) -> tuple[str, ...]:
    policy = page.header("content-security-policy")
    framed = page.header("x-frame-options") or "frame-ancestors" in (policy or "")
    present = {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": page.header("x-content-type-options"),
        "a frame rule": framed,
        "Referrer-Policy": page.header("referrer-policy"),
    }
    return tuple(name for name, value in present.items() if not value)
