import asyncio
import dataclasses
import time
from ipaddress import ip_address

import pytest

from bindery.domain.scan.scan import ScanOutcome
from bindery.outside.addresses import PUBLIC_ONLY, AddressRefused
from bindery.outside.scanner.connector import Connector, Host, ScanLimits
from bindery.outside.scanner.live import LiveScanner
from bindery.outside.scanner.scan_progress import ScanProgress
from outside.scanner.town import (
    PATIENT,
    SILENT,
    BuildTown,
    found,
    resolver_asking,
    scan_all,
    the,
    with_records,
)
from support.network import HERE, NOW, Site, http_answer, only_here, say_nothing, tcp_server
from support.waiting import eventually

IMPATIENT = dataclasses.replace(SILENT, budget_s=4, read_s=60)


async def test_a_slow_server_stays_inside_the_budget_and_makes_the_scan_partial(town: BuildTown) -> None:
    place = await town(servers={443: say_nothing, 80: say_nothing, 3389: say_nothing})
    started = time.monotonic()

    result = await place.scan(limits=IMPATIENT)

    assert time.monotonic() - started < IMPATIENT.read_s
    assert result.outcome is ScanOutcome.PARTIAL
    assert {"HTTP_HSTS", "HTTP_HEADERS", "HTTP_NO_REDIRECT"} <= set(result.unchecked)
    assert not {"HTTP_HSTS", "HTTP_HEADERS"} & set(result.passed)
    assert "example.com: the time for the scan was used up" in result.notes


@pytest.mark.long
async def test_what_was_found_before_the_time_ran_out_counts(town: BuildTown) -> None:
    records = with_records({"_dmarc.example.com": None})
    place = await town(records, {443: say_nothing, 80: say_nothing, 3389: say_nothing})

    result = await place.scan(limits=IMPATIENT)

    assert result.outcome is ScanOutcome.PARTIAL
    assert the(result, "MAIL_DMARC_MISSING").points == 8
    assert result.red_flags_exist
    assert result.score == 62


async def test_a_server_slower_than_one_read_may_take_makes_the_scan_partial_too(town: BuildTown) -> None:
    place = await town(servers={80: say_nothing})

    result = await place.scan(limits=dataclasses.replace(PATIENT, read_s=3))

    assert result.outcome is ScanOutcome.PARTIAL
    assert "HTTP_NO_REDIRECT" in result.unchecked
    assert "TLS_EXPIRED" in result.passed
    assert "RDP_OPEN" in result.passed


@pytest.mark.long
async def test_portals_that_were_not_looked_at_in_time_have_not_passed(town: BuildTown) -> None:
    place = await town()
    silent = await town(servers={21: say_nothing})
    place.ports |= {10443: silent.ports[21]}

    result = await place.scan(limits=IMPATIENT)

    assert result.outcome is ScanOutcome.PARTIAL
    assert {"VPN_PORTAL", "VPN_UNPATCHED"} <= set(result.unchecked)
    assert {"RDP_OPEN", "TLS_EXPIRED", "HTTP_HEADERS"} <= set(result.passed)
    assert result.score == 100


@pytest.mark.long
async def test_portals_have_not_passed_either_when_time_runs_out_over_the_ports(town: BuildTown) -> None:
    place = await town(servers={6443: say_nothing})

    result = await place.scan(limits=IMPATIENT)

    assert result.outcome is ScanOutcome.PARTIAL
    assert {"VPN_PORTAL", "RDP_OPEN"} <= set(result.unchecked)
    assert "TLS_EXPIRED" in result.passed


def test_a_scan_that_ran_out_of_time_is_partial_even_if_no_check_noticed() -> None:
    progress = ScanProgress("example.com")
    progress.complete("DNS_CAA")

    progress.run_out_of_time()

    assert progress.close(at=NOW, scanner="live").outcome is ScanOutcome.PARTIAL


async def test_a_domain_of_which_only_the_name_was_seen_in_time_fails(town: BuildTown) -> None:
    place = await town(silent=["www.example.com"])

    result = await place.scan(limits=dataclasses.replace(PATIENT, budget_s=3))

    assert (result.outcome, result.score) == (ScanOutcome.FAILED, None)
    assert result.notes == ("example.com: the time for the scan was used up",)


async def test_a_domain_that_does_not_resolve_gives_nothing(town: BuildTown) -> None:
    result = await (await town()).scan("gone.example.org")

    assert result.outcome is ScanOutcome.NOTHING_COLLECTED
    assert (result.score, result.findings, result.passed) == (None, (), ())
    assert result.notes == ("gone.example.org: the name does not resolve",)


async def test_a_domain_without_any_record_gives_nothing(town: BuildTown) -> None:
    result = await (await town(with_records({"a.empty.example.com": {"A": [HERE]}}))).scan(
        "empty.example.com"
    )

    assert result.outcome is ScanOutcome.NOTHING_COLLECTED


async def test_a_domain_with_mail_alone_is_scanned(town: BuildTown) -> None:
    records = with_records({"example.com": {"A": None}, "www.example.com": None})

    result = await (await town(records)).scan()

    assert result.outcome is ScanOutcome.FINISHED
    assert result.score == 100
    assert "TLS_EXPIRED" not in result.passed


async def test_a_failing_dns_server_fails_the_scan(town: BuildTown) -> None:
    result = await (await town(failing=["example.com"])).scan()

    assert (result.outcome, result.score) == (ScanOutcome.FAILED, None)
    assert result.notes[0].startswith("example.com: the DNS did not answer")


async def test_a_silent_dns_server_fails_the_scan_in_time(town: BuildTown) -> None:
    started = time.monotonic()

    result = await (await town(silent=["example.com"])).scan(lookup_s=0.2)

    assert time.monotonic() - started < PATIENT.budget_s
    assert result.outcome is ScanOutcome.FAILED


async def test_a_dns_server_that_is_not_there_fails_the_scan(town: BuildTown) -> None:
    place = await town()
    place.dns.port = place.ports[22]

    assert (await place.scan(lookup_s=0.3)).outcome is ScanOutcome.FAILED


async def test_a_failing_look_up_of_one_check_makes_the_scan_partial(town: BuildTown) -> None:
    result = await (await town(failing=["_dmarc.example.com"])).scan()

    assert result.outcome is ScanOutcome.PARTIAL
    assert "MAIL_DMARC_MISSING" in result.unchecked
    assert "MAIL_DMARC_MISSING" not in found(result)


async def test_a_scan_that_has_no_time_to_look_at_anything_fails(town: BuildTown) -> None:
    place = await town(silent=["example.com"])

    result = await place.scan(limits=dataclasses.replace(PATIENT, budget_s=0.1))

    assert result.outcome is ScanOutcome.FAILED


@pytest.mark.parametrize(
    "domain",
    [
        "127.0.0.1",
        "::1",
        "2130706433",
        "0177.0.0.1",
        "localhost",
        "intranet",
        "printer.local",
        "db.internal",
        "shop.test",
        "shop.example",
        "1.0.0.127.in-addr.arpa",
        "router.home.arpa",
        "hidden.onion",
        "com",
        "co.uk",
        "firm.notatld",
        "-bad.example.com",
        "under score.example.com",
        "a" * 64 + ".example.com",
        ".".join(["abcdefgh"] * 30) + ".example.com",
        "",
    ],
)
async def test_a_name_that_is_no_public_domain_is_not_asked_about(town: BuildTown, domain: str) -> None:
    place = await town()

    result = await place.scan(domain)

    assert result.outcome is ScanOutcome.NOTHING_COLLECTED
    assert result.domains == (domain,)
    assert place.dns.asked == []


async def test_an_international_name_is_looked_up_as_the_dns_spells_it(town: BuildTown) -> None:
    place = await town(with_records({"xn--bcher-kva.example.com": {"A": [HERE]}}))

    result = await place.scan("B\u00fccher.Example.com.")

    assert result.outcome is ScanOutcome.FINISHED
    assert result.domains == ("B\u00fccher.Example.com.",)


async def test_an_owner_who_asked_not_to_be_scanned_is_left_alone(town: BuildTown) -> None:
    place = await town()

    result = await place.scan("example.com", never_scan=["example.com"])

    assert result.outcome is ScanOutcome.NOTHING_COLLECTED
    assert place.dns.asked == []


@pytest.mark.parametrize("hidden", ["10.0.0.1", "169.254.169.254", "127.0.0.2"])
async def test_a_host_with_one_bad_address_among_good_ones_is_not_contacted(
    town: BuildTown, hidden: str
) -> None:
    async with tcp_server(say_nothing) as good:
        place = await town(with_records({"example.com": {"A": [HERE, hidden]}, "www.example.com": None}))
        place.ports = dict.fromkeys(place.ports, good.port)

        result = await place.scan()

        assert good.connections == 0
    assert "example.com: not contacted, because it leads to an address that is not public" in result.notes


async def test_the_way_out_checks_every_address_of_a_host_itself() -> None:
    async with tcp_server(say_nothing) as listener:
        connector = Connector(rule=only_here, ports={443: listener.port})
        host = Host("mixed.example.com", (ip_address(HERE), ip_address("10.0.0.1")))

        with pytest.raises(AddressRefused):
            async with connector.connection(host, 443):
                pass

        assert listener.connections == 0


async def test_under_the_rule_of_production_loopback_is_never_contacted(town: BuildTown) -> None:
    async with tcp_server(say_nothing) as listener:
        place = await town()
        place.ports = dict.fromkeys(place.ports, listener.port)

        await place.scan(rule=PUBLIC_ONLY)

        assert listener.connections == 0


def test_the_rule_of_production_is_the_one_used_where_none_is_given() -> None:
    assert LiveScanner(resolver=resolver_asking([HERE]))._connector._rule is PUBLIC_ONLY


async def test_a_name_is_looked_up_once_so_that_it_cannot_change_before_the_connection(
    town: BuildTown,
) -> None:
    place = await town()
    place.dns.successive["example.com", "A"] = [HERE, "127.0.0.2", "127.0.0.2"]
    async with tcp_server(say_nothing, address="127.0.0.2") as inside:
        place.ports = {**place.ports, 4443: inside.port}

        result = await place.scan()

        assert inside.connections == 0
    assert result.outcome is ScanOutcome.FINISHED
    assert place.dns.times_asked("example.com", "A") == 1
    assert place.dns.successive["example.com", "A"] == ["127.0.0.2", "127.0.0.2"]


async def test_each_domain_has_its_own_result_in_order(town: BuildTown) -> None:
    place = await town()

    results = await place.scanner().scan_each(["gone.example.org", "example.com", "localhost"], at=NOW)

    assert [result.domains for result in results] == [("gone.example.org",), ("example.com",), ("localhost",)]
    assert [result.outcome for result in results] == [
        ScanOutcome.NOTHING_COLLECTED,
        ScanOutcome.FINISHED,
        ScanOutcome.NOTHING_COLLECTED,
    ]


async def test_only_the_first_five_domains_get_port_and_web_checks(town: BuildTown) -> None:
    names = [f"d{number}.example.com" for number in range(7)]
    records = with_records({name: {"A": [HERE]} for name in names})
    place = await town(records, {21: say_nothing})

    results = await place.scanner(limits=SILENT).scan_each(names, at=NOW)

    assert ["FTP_OPEN" in found(result) for result in results] == [True] * 5 + [False] * 2
    assert "TLS_EXPIRED" in results[6].passed
    assert "HTTP_HSTS" not in results[6].passed
    assert {result.outcome for result in results} == {ScanOutcome.FINISHED}


async def test_seventy_five_domains_share_one_budget(town: BuildTown) -> None:
    names = [f"d{number}.example.com" for number in range(75)]
    place = await town(with_records({name: {"A": [HERE]} for name in names}), {443: say_nothing, 80: None})
    started = time.monotonic()

    limits = dataclasses.replace(PATIENT, budget_s=2, domains_at_once=1)
    result = await scan_all(place.scanner(limits=limits), names, at=NOW)

    assert time.monotonic() - started < len(names) * limits.budget_s / 2, "each had a budget of its own"
    assert result.outcome in {ScanOutcome.PARTIAL, ScanOutcome.FAILED}
    assert result.domains == tuple(names)


async def test_a_scan_that_is_called_off_leaves_nothing_behind(town: BuildTown) -> None:
    reached = asyncio.Event()

    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reached.set()
        await reader.read()

    place = await town(servers={443: say_nothing, 80: hold})
    before = asyncio.all_tasks()
    scan = asyncio.create_task(place.scan())
    await reached.wait()

    scan.cancel()

    with pytest.raises(asyncio.CancelledError):
        await scan
    # The servers notice that nobody is there any more.
    await eventually(lambda: asyncio.all_tasks() == before)


async def test_the_scanner_says_who_it_is_and_asks_only_for_what_it_may(town: BuildTown) -> None:
    heads = []

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(http_answer(200))
        await writer.drain()

    await (await town(servers={80: listen})).scan(user_agent="Bindery-Scan/test (+https://example.com/scan)")

    assert heads
    for head in heads:
        assert head.startswith("GET / HTTP/1.1\r\n")
        assert "User-Agent: Bindery-Scan/test (+https://example.com/scan)\r\n" in head
        assert "cookie" not in head.lower()
        assert "authorization" not in head.lower()


def test_the_limits_are_those_of_the_design() -> None:
    limits = ScanLimits()

    assert (limits.budget_s, limits.connect_s, limits.read_s) == (25, 3, 5)
    assert (limits.header_bytes, limits.body_bytes, limits.greeting_bytes) == (16_384, 65_536, 256)
    assert (limits.redirects, limits.domains_with_ports, limits.open_ports_of_a_liar) == (3, 5, 20)


async def test_paths_other_than_the_listed_ones_are_not_asked_for(town: BuildTown) -> None:
    records = with_records({"mail.example.com": {"A": [HERE]}, "vpn.example.com": {"A": [HERE]}})
    site = Site({"/": http_answer(200)})

    await (await town(records, {443: site})).scan()

    assert set(site.paths_asked) == {"/", "/owa/"}
