import asyncio
import dataclasses
import datetime as dt

import pytest

from bindery.domain.scan.scan import ScanOutcome, ScanResult
from bindery.outside.scanner.signatures import signatures
from outside.scanner.town import PATIENT, BuildTown, found, the, with_records
from support.network import (
    HERE,
    NOW,
    WELL_SET_UP,
    Authority,
    Handler,
    Site,
    http_answer,
    say_nothing,
    send_without_end,
    tcp_server,
)


def https_site(**headers: str) -> dict[int, Handler | None]:
    return {443: Site({"/": http_answer(200, "hello", **headers)})}


async def test_a_site_that_stays_on_http_is_found(town: BuildTown) -> None:
    place = await town(servers={80: Site({"/": WELL_SET_UP})})

    result = await place.scan()

    assert found(result) == {"HTTP_NO_REDIRECT"}


async def test_missing_headers_are_found_by_name(town: BuildTown) -> None:
    result = await (await town(servers=https_site(X_Frame_Options="DENY"))).scan()

    assert found(result) == {"HTTP_HSTS", "HTTP_HEADERS"}
    evidence = next(f.evidence for f in result.findings if f.check_id == "HTTP_HEADERS")
    assert evidence == "Missing: Content-Security-Policy, X-Content-Type-Options, Referrer-Policy."
    assert result.score == 98


@pytest.mark.parametrize(
    ("value", "counts"),
    [
        ("max-age=15552000", True),
        ('includeSubDomains; max-age="1"', True),
        ("max-age=0", False),
        ("on", False),
    ],
)
async def test_strict_transport_security_counts_where_it_is_switched_on(
    town: BuildTown, value: str, counts: bool
) -> None:
    result = await (await town(servers=https_site(Strict_Transport_Security=value))).scan()

    assert ("HTTP_HSTS" in found(result)) is not counts


async def test_headers_of_a_server_that_broke_are_not_judged(town: BuildTown) -> None:
    result = await (await town(servers={443: Site({"/": http_answer(500)})})).scan()

    assert found(result) == set()
    assert {"HTTP_HSTS", "HTTP_HEADERS"} <= set(result.unchecked)


@pytest.mark.parametrize(
    ("server", "tells"),
    [("nginx", False), ("Apache", False), ("cloud2", False), ("nginx/1.27.1", True), ("Apache/2.4.62", True)],
)
async def test_a_server_that_tells_its_version_is_found(town: BuildTown, server: str, tells: bool) -> None:
    result = await (await town(servers=https_site(Server=server))).scan()

    assert ("HTTP_BANNER" in found(result)) is tells


@pytest.mark.parametrize(
    ("headers", "body", "unsupported", "exploited"),
    [
        ({"Server": "Apache/2.2.34"}, "", True, False),
        ({"Server": "Apache/2.4.48"}, "", False, False),
        ({"Server": "Apache/2.4.49 (Unix)"}, "", False, True),
        ({"Server": "Apache/2.4.50"}, "", False, True),
        ({"Server": "Apache/2.4.51"}, "", False, False),
        ({"Server": "Microsoft-IIS/8.5"}, "", True, False),
        ({"Server": "Microsoft-IIS/10.0"}, "", False, False),
        ({"Server": "Microsoft-IIS/6.0"}, "", True, True),
        ({"X_Powered_By": "PHP/8.1.30"}, "", True, False),
        ({"X_Powered_By": "PHP/8.2.0"}, "", False, False),
        ({"X_Jenkins": "2.426.2"}, "", False, True),
        ({"X_Jenkins": "2.426.3"}, "", False, False),
        ({"X_Jenkins": "2.441"}, "", False, True),
        ({"X_Jenkins": "2.442"}, "", False, False),
        ({}, '<meta name="generator" content="WordPress 4.6.1">', True, False),
        ({}, '<meta name="generator" content="WordPress 6.8">', False, False),
        ({}, "server: Apache/2.4.49 is what this page is about", False, False),
        ({"Server": f"Apache/{'9' * 6000}.1"}, "", False, False),
    ],
)
async def test_old_and_exploited_software_is_found_by_its_version(
    town: BuildTown, headers: dict[str, str], body: str, unsupported: bool, exploited: bool
) -> None:
    place = await town(servers={443: Site({"/": http_answer(200, body, **headers)})})

    result = await place.scan()

    assert ("HTTP_EOL" in found(result)) is unsupported
    assert ("HTTP_EOL_CRITICAL" in found(result)) is exploited
    assert result.red_flags_exist is exploited


async def test_an_administration_login_is_found(town: BuildTown) -> None:
    page = http_answer(200, "<html><title>\n phpMyAdmin </title>")

    result = await (await town(servers={443: Site({"/": page})})).scan()

    assert the_evidence(result, "HTTP_LOGIN_PANEL") == "The root page is the login of phpMyAdmin."


def the_evidence(result: ScanResult, check_id: str) -> str:
    return next(finding.evidence for finding in result.findings if finding.check_id == check_id)


async def test_a_vpn_portal_on_another_port_is_found(town: BuildTown) -> None:
    records = with_records({"vpn.example.com": {"A": [HERE]}})
    portal = Site({"/": http_answer(302, Location="/remote/login?lang=en")})

    result = await (await town(records, {10443: portal})).scan()

    assert the_evidence(result, "VPN_PORTAL") == "FortiGate SSL-VPN answers on port 10443."
    assert not result.red_flags_exist


@pytest.mark.parametrize(("version", "exploited"), [("10.2.1.13", True), ("10.2.1.14", False)])
async def test_a_vpn_with_an_exploited_build_is_a_red_flag(
    town: BuildTown, version: str, exploited: bool
) -> None:
    page = http_answer(200, f'<link href="/swl_styles.{version}-72sv.css">')

    result = await (await town(servers={443: Site({"/": page})})).scan()

    assert "VPN_PORTAL" in found(result)
    assert ("VPN_UNPATCHED" in found(result)) is exploited
    assert result.red_flags_exist is exploited


ON_A_PLATFORM = with_records(
    {
        "example.com": {"A": None},
        "www.example.com": {"A": None, "CNAME": ["d1.cloudfront.net"]},
        "d1.cloudfront.net": {"A": [HERE]},
    }
)


async def test_software_and_portals_of_a_shared_platform_are_not_the_applicants(town: BuildTown) -> None:
    page = http_answer(200, '<a href="/dana-na/auth">', Server="Apache/2.4.49", X_Powered_By="PHP/5.6")

    result = await (await town(ON_A_PLATFORM, {443: Site({"/": page})})).scan()

    # The headers of a page are the applicant's to set wherever it is hosted.
    assert found(result) == {"HTTP_HSTS", "HTTP_HEADERS"}
    assert {"HTTP_EOL", "HTTP_EOL_CRITICAL", "HTTP_BANNER"} <= set(result.unchecked)


async def test_a_certificate_on_a_shared_platform_is_the_applicants(
    town: BuildTown, authority: Authority
) -> None:
    expired = authority.server("www.example.com", until=NOW - dt.timedelta(days=1))

    result = await (await town(ON_A_PLATFORM, tls=expired)).scan()

    assert the(result, "TLS_EXPIRED").host == "www.example.com"


async def test_a_chunked_page_is_read_across_its_chunks(town: BuildTown) -> None:
    raw = (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"9;x=y\r\n<title>ph\r\n1B\r\npMyAdmin</title> and so on\n\r\n0\r\n\r\n"
    )

    result = await (await town(servers={443: Site({"/": raw})})).scan()

    assert "HTTP_LOGIN_PANEL" in found(result)


async def test_redirects_inside_the_domain_are_followed_three_times(town: BuildTown) -> None:
    hops = {f"/{n}": http_answer(302, Location=f"https://www.example.com/{n + 1}") for n in range(1, 9)}
    site = Site({"/": http_answer(302, Location="/1"), **hops})

    result = await (await town(servers={443: site, 80: None})).scan()

    assert {"/", "/1", "/2", "/3"} <= set(site.paths_asked)
    assert "/4" not in site.paths_asked
    assert any(note.endswith("/4") for note in result.notes)


@pytest.mark.parametrize(
    "location",
    [
        "https://example.org/inside",
        "https://example.com.example.org/inside",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://2130706433/",
        "https://169.254.169.254/latest/meta-data/",
        "https://localhost/",
        "https://example.com:8080/inside",
        "https://example.com:99999/inside",
        "https://user@example.com/inside",
        "https://user:secret@example.com/inside",
        "https://[broken/",
        "ftp://example.com/",
        "javascript:alert(1)",
        "file:///etc/passwd",
    ],
)
async def test_a_redirect_elsewhere_is_recorded_and_not_fetched(town: BuildTown, location: str) -> None:
    site = Site({"/": http_answer(302, Location=location)})
    elsewhere = {"example.org": {"A": [HERE]}, "example.com.example.org": {"A": [HERE]}}
    place = await town(with_records(elsewhere), {443: site, 80: None})
    # All of them would answer if they were asked.
    place.ports |= {80: place.ports[443], 8080: place.ports[443]}

    result = await place.scan()

    assert set(site.paths_asked) == {"/"}
    assert result.outcome is ScanOutcome.FINISHED
    assert any(location[:20] in note for note in result.notes)


async def test_a_redirect_to_another_listed_port_is_followed(town: BuildTown) -> None:
    site = Site({"/": http_answer(302, Location="https://www.example.com:8443/inside")})

    await (await town(servers={443: site, 8443: site, 80: None})).scan()

    assert "/inside" in site.paths_asked


@pytest.mark.parametrize("inside", ["127.0.0.2", "10.0.0.5", "169.254.169.254"])
async def test_a_redirect_to_a_name_with_a_private_address_is_not_followed(
    town: BuildTown, inside: str
) -> None:
    records = with_records({"intranet.example.com": {"A": [inside]}})
    async with tcp_server(say_nothing, address="127.0.0.2") as canary:
        site = Site({"/": http_answer(302, Location="https://intranet.example.com:8443/admin")})
        place = await town(records, {443: site, 80: None})
        place.ports[8443] = canary.port

        result = await place.scan()

        assert canary.connections == 0
    assert place.dns.times_asked("intranet.example.com", "A") >= 1
    assert (
        "intranet.example.com: not contacted, because it leads to an address that is not public"
        in result.notes
    )
    assert not any(inside in note for note in result.notes)


async def test_a_request_line_cannot_be_smuggled_through_a_redirect(town: BuildTown) -> None:
    site = Site({"/": http_answer(302, Location="/a b\tc\x0bd?x=\u00e9 HTTP/1.1")})

    await (await town(servers={443: site, 80: None})).scan()

    followed = [path for path in site.paths_asked if path != "/"]
    assert followed
    assert all(path.isascii() and " " not in path for path in followed)


@pytest.mark.parametrize(
    "start",
    [
        b"HTTP/1.1 200 OK\r\n\r\n<title>phpMyAdmin</title>",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFF\r\n<title>phpMyAdmin</title>",
    ],
)
async def test_a_body_without_end_is_read_up_to_its_cap(town: BuildTown, start: bytes) -> None:
    place = await town(servers={443: send_without_end(start), 80: None})

    async with asyncio.timeout(PATIENT.budget_s):
        result = await place.scan()

    assert "HTTP_LOGIN_PANEL" in found(result)
    assert result.outcome is ScanOutcome.FINISHED


@pytest.mark.parametrize(
    "start", [b"", b"HTTP/1.1 200 OK\r\nX-Long: ", b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 3_000]
)
async def test_headers_without_end_are_no_web_site(town: BuildTown, start: bytes) -> None:
    place = await town(servers={443: send_without_end(start), 80: None})

    async with asyncio.timeout(PATIENT.budget_s):
        result = await place.scan()

    assert result.outcome is ScanOutcome.FINISHED
    assert "HTTP_HEADERS" in result.unchecked


@pytest.mark.parametrize(("size", "read"), [(16_384, True), (16_385, False)])
async def test_headers_are_read_up_to_their_cap(town: BuildTown, size: int, read: bool) -> None:
    start, end = b"HTTP/1.1 200 OK\r\nX-Filler: ", b"\r\nServer: nginx/1.0.1\r\n\r\n"
    head = start + b"f" * (size - len(start) - len(end)) + end

    result = await (await town(servers={443: Site({"/": head}), 80: None})).scan()

    assert len(head) == size
    assert ("HTTP_EOL" in found(result)) is read


async def test_a_body_that_drips_is_read_for_as_long_as_allowed(town: BuildTown) -> None:
    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n<title>phpMyAdmin</title>")
        while True:
            writer.write(b".")
            await writer.drain()
            await asyncio.sleep(0.05)

    place = await town(servers={443: drip, 80: None})

    result = await place.scan(limits=dataclasses.replace(PATIENT, read_s=2))

    assert "HTTP_LOGIN_PANEL" in found(result)


def test_every_signature_reads_and_every_range_is_in_order() -> None:
    for product in (*signatures().web_software, *signatures().vpn_portals):
        for spread in product.exploited:
            assert spread.since < spread.below
            assert spread.flaw.startswith("CVE-")
