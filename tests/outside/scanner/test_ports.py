import asyncio

import pytest

from bindery.domain.scan.checks import ListedPort, scan_catalogue
from bindery.domain.scan.scan import Confidence, ScanOutcome
from outside.scanner.town import SILENT, BuildTown, found, the, with_records
from support.network import HERE, Handler, greeting, say_nothing, send_without_end

RDP_GREETING = b"\x03\x00\x00\x13\x0e\xd0\x00\x00\x12\x34\x00\x02\x01\x08\x00\x02\x00\x00\x00"


async def test_remote_desktop_that_greets_is_a_confirmed_red_flag(town: BuildTown) -> None:
    result = await (await town(servers={3389: greeting(RDP_GREETING)})).scan()

    finding = the(result, "RDP_OPEN")
    assert finding.confidence is Confidence.CONFIRMED
    assert finding.red_flag
    assert finding.host == "example.com"
    assert result.red_flags_exist
    assert result.score == 70


async def test_remote_desktop_that_says_nothing_is_an_observed_red_flag(town: BuildTown) -> None:
    result = await (await town(servers={3389: say_nothing})).scan(limits=SILENT)

    finding = the(result, "RDP_OPEN")
    assert finding.confidence is Confidence.OBSERVED
    assert finding.evidence == "TCP 3389 (Remote Desktop) accepts connections."
    assert result.red_flags_exist
    assert result.score == 70


@pytest.mark.parametrize(
    ("port", "check_id", "said"),
    [
        (21, "FTP_OPEN", b"220 Welcome\r\n"),
        (22, "SSH_OPEN", b"SSH-2.0-OpenSSH_9.7\r\n"),
        (23, "TELNET_OPEN", b"\xff\xfd\x18\xff\xfd\x20"),
        (110, "PLAINMAIL_OPEN", b"+OK ready\r\n"),
        (143, "PLAINMAIL_OPEN", b"* OK IMAP4rev1\r\n"),
        (3306, "DB_OPEN", b"J\x00\x00\x00\n8.0.36\x00"),
        (5900, "VNC_OPEN", b"RFB 003.008\n"),
        (6379, "DB_OPEN", b"-DENIED Redis is running in protected mode\r\n"),
    ],
)
async def test_a_service_that_greets_is_confirmed(
    town: BuildTown, port: int, check_id: str, said: bytes
) -> None:
    result = await (await town(servers={port: greeting(said)})).scan()

    assert found(result) == {check_id}
    assert the(result, check_id).confidence is Confidence.CONFIRMED


LISTED_SERVICES = [port for port in scan_catalogue().ports if port.check_id]


@pytest.mark.parametrize("half", [LISTED_SERVICES[::2], LISTED_SERVICES[1::2]], ids=["even", "odd"])
async def test_every_listed_service_is_found_by_its_open_port(
    town: BuildTown, half: list[ListedPort]
) -> None:
    result = await (await town(servers=dict.fromkeys((port.number for port in half), say_nothing))).scan(
        limits=SILENT
    )

    assert found(result) == {port.check_id for port in half}


async def test_a_certificate_on_a_tls_service_confirms_it(town: BuildTown) -> None:
    result = await (await town(servers={5986: say_nothing})).scan()

    finding = the(result, "WINRM_OPEN")
    assert finding.confidence is Confidence.CONFIRMED
    assert finding.evidence == "TCP 5986 (WinRM over TLS) showed a certificate for CN=example.com."


async def test_another_service_behind_a_dangerous_port_is_judged_by_what_it_is(town: BuildTown) -> None:
    result = await (await town(servers={3389: greeting(b"SSH-2.0-OpenSSH_9.7\r\n")})).scan()

    assert found(result) == {"SSH_OPEN"}
    assert the(result, "SSH_OPEN").evidence == "TCP 3389 greets as SSH: SSH-2.0-OpenSSH_9.7"
    assert not result.red_flags_exist


async def test_a_greeting_that_fits_two_services_is_noted_and_not_judged(town: BuildTown) -> None:
    result = await (await town(servers={3389: greeting(b"220 ready\r\n")})).scan()

    assert found(result) == set()
    assert "example.com: TCP 3389 greets as FTP or SMTP: 220 ready" in result.notes


async def test_a_greeting_is_read_up_to_256_bytes_and_shown_in_print(town: BuildTown) -> None:
    result = await (await town(servers={5432: greeting(b"\x1b[31m\x00odd\r\n" + b"z" * 9_000)})).scan()

    finding = the(result, "DB_OPEN")
    assert finding.confidence is Confidence.OBSERVED
    assert finding.evidence.isprintable()
    assert len(finding.evidence) < 130


async def test_a_service_that_sends_without_end_does_not_hold_the_scan(town: BuildTown) -> None:
    async def pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(b"q" * 65_536)
            await writer.drain()

    result = await (await town(servers={1433: pour, 23: send_without_end(b"")})).scan(limits=SILENT)

    assert {"DB_OPEN", "TELNET_OPEN"} == found(result)
    assert result.outcome is ScanOutcome.FINISHED


def many_open(count: int) -> dict[int, Handler | None]:
    numbers = [port.number for port in scan_catalogue().ports if port.number not in {80, 443}]
    return dict.fromkeys(numbers[: count - 2], say_nothing)


@pytest.mark.parametrize(
    ("count", "believed"), [(20, True), (21, False), pytest.param(34, False, marks=pytest.mark.long)]
)
async def test_a_host_that_answers_on_every_port_raises_no_red_flag(
    town: BuildTown, count: int, believed: bool
) -> None:
    result = await (await town(servers=many_open(count))).scan(limits=SILENT)

    assert result.red_flags_exist is believed
    assert any("answers on every port" in note for note in result.notes) is not believed
    if not believed:
        assert {"RDP_OPEN", "DB_OPEN"} <= set(result.unchecked)
        assert not {"RDP_OPEN", "DB_OPEN", "SSH_OPEN"} & found(result)


async def test_services_behind_a_shared_platforms_alias_are_not_the_applicants(town: BuildTown) -> None:
    records = with_records(
        {
            "example.com": {"A": None},
            "www.example.com": {"A": None, "CNAME": ["d1.cloudfront.net"]},
            "d1.cloudfront.net": {"A": [HERE]},
        }
    )

    result = await (await town(records, {3389: say_nothing, 21: say_nothing})).scan(limits=SILENT)

    assert found(result) == set()
    assert "RDP_OPEN" not in result.passed


PTR = "1.0.0.127.in-addr.arpa"


async def test_services_on_a_shared_platforms_own_address_are_not_the_applicants(town: BuildTown) -> None:
    records = with_records(
        {PTR: {"PTR": ["server-1.cloudfront.net."]}, "server-1.cloudfront.net": {"A": [HERE]}}
    )

    result = await (await town(records, {3389: say_nothing})).scan(limits=SILENT)

    assert not result.red_flags_exist


async def test_a_platforms_name_that_does_not_lead_back_to_the_address_does_not_count(
    town: BuildTown,
) -> None:
    records = with_records(
        {PTR: {"PTR": ["server-1.cloudfront.net."]}, "server-1.cloudfront.net": {"A": ["192.0.2.9"]}}
    )

    result = await (await town(records, {3389: say_nothing})).scan(limits=SILENT)

    assert result.red_flags_exist


async def test_an_address_shared_by_several_names_is_tried_once(town: BuildTown) -> None:
    names = ("mail", "vpn", "remote", "owa", "ftp", "autodiscover")
    records = with_records({f"{name}.example.com": {"A": [HERE]} for name in names})
    knocks = []

    async def count(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        knocks.append(1)
        await reader.read()

    result = await (await town(records, {3389: count})).scan(limits=SILENT)

    assert len(knocks) == 1
    assert the(result, "RDP_OPEN").host == "example.com"
