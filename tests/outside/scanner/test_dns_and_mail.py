import asyncio

import dns.message
import dns.rdatatype
import dns.rrset
import pytest

from bindery.domain.scan.scan import ScanOutcome
from outside.scanner.town import BuildTown, found, the, with_records
from support.network import HERE, Handler, Site, greeting, http_answer


async def test_a_sound_domain_finishes_with_a_full_score(town: BuildTown) -> None:
    result = await (await town()).scan()

    assert result.outcome is ScanOutcome.FINISHED
    assert result.score == 100
    assert result.findings == ()
    assert result.unchecked == ("MAIL_STARTTLS",)


@pytest.mark.parametrize(("kind", "check_id", "points"), [("DS", "DNS_DNSSEC", 1), ("CAA", "DNS_CAA", 1)])
async def test_an_unsigned_zone_and_missing_authorities_are_found(
    town: BuildTown, kind: str, check_id: str, points: int
) -> None:
    result = await (await town(with_records({"example.com": {kind: None}}))).scan()

    assert found(result) == {check_id}
    assert result.score == 100 - points


async def test_authorities_named_above_a_domain_count_for_it(town: BuildTown) -> None:
    records = with_records({"shop.example.com": {"A": [HERE]}})

    result = await (await town(records)).scan("shop.example.com")

    assert "DNS_CAA" in result.passed


async def test_missing_dmarc_is_found(town: BuildTown) -> None:
    result = await (await town(with_records({"_dmarc.example.com": None}))).scan()

    finding = the(result, "MAIL_DMARC_MISSING")
    assert (finding.points, finding.host, finding.red_flag) == (8, "example.com", False)
    assert finding.evidence == "No DMARC record at _dmarc.example.com."
    assert result.score == 92
    assert "MAIL_DMARC_NONE" not in result.passed


async def test_dmarc_of_the_registrable_domain_counts_for_a_domain_below(town: BuildTown) -> None:
    records = with_records({"shop.example.com": {"A": [HERE], "MX": ["10 mx.example.net."]}})

    result = await (await town(records)).scan("shop.example.com")

    assert "MAIL_DMARC_MISSING" in result.passed


@pytest.mark.parametrize(
    ("text", "is_none"),
    [
        ("v=DMARC1; p=none; rua=mailto:d@example.com", True),
        ("v=DMARC1", True),
        ("v=DMARC1; P=None", True),
        ("v=DMARC1; p=quarantine", False),
        ("v=DMARC1 ; p = reject ; pct=100", False),
    ],
)
async def test_a_dmarc_policy_that_only_watches_is_found(town: BuildTown, text: str, is_none: bool) -> None:
    records = with_records({"_dmarc.example.com": {"TXT": [f'"{text}"']}})

    result = await (await town(records)).scan()

    assert ("MAIL_DMARC_NONE" in found(result)) is is_none


async def test_the_policy_for_domains_below_counts_where_there_is_one(town: BuildTown) -> None:
    records = with_records(
        {
            "_dmarc.example.com": {"TXT": ['"v=DMARC1; p=reject; sp=none"']},
            "shop.example.com": {"A": [HERE], "MX": ["10 mx.example.net."]},
        }
    )

    result = await (await town(records)).scan("shop.example.com")

    assert the(result, "MAIL_DMARC_NONE").evidence == "The policy is sp=none."


async def test_missing_spf_is_found(town: BuildTown) -> None:
    records = with_records({"example.com": {"TXT": ['"v=spf10 -all"', '"hello"']}})

    result = await (await town(records)).scan()

    assert found(result) == {"MAIL_SPF_MISSING"}


@pytest.mark.parametrize(
    ("text", "permissive"),
    [
        ("v=spf1 +all", True),
        ("v=spf1 all", True),
        ("v=spf1 mx ?all", True),
        ("v=spf1 mx", True),
        ("v=spf1 mx ~all", False),
        ("v=spf1 mx -all", False),
        ("V=SPF1 MX -ALL", False),
        ("v=spf1 redirect=open.example.net", True),
        ("v=spf1 redirect=strict.example.net", False),
        ("v=spf1 redirect=%{d}.example.net", False),
        ("v=spf1 include:open.example.net -all", False),
    ],
)
async def test_an_spf_record_that_lets_everybody_through_is_found(
    town: BuildTown, text: str, permissive: bool
) -> None:
    records = with_records(
        {
            "example.com": {"TXT": [f'"{text}"']},
            "open.example.net": {"TXT": ['"v=spf1 ?all"']},
            "strict.example.net": {"TXT": ['"v=spf1 -all"']},
        }
    )

    result = await (await town(records)).scan()

    assert ("MAIL_SPF_PERMISSIVE" in found(result)) is permissive


@pytest.mark.parametrize(("includes", "too_many"), [(10, False), (11, True)])
async def test_an_spf_record_with_more_than_ten_lookups_is_found(
    town: BuildTown, includes: int, too_many: bool
) -> None:
    names = [f"s{number}.example.net" for number in range(includes)]
    record = " ".join(["v=spf1", *(f"include:{name}" for name in names), "-all"])
    records = with_records(
        {"example.com": {"TXT": [f'"{record[:200]}" "{record[200:]}"']}}
        | {name: {"TXT": ['"v=spf1 ip4:192.0.2.1 -all"']} for name in names}
    )

    result = await (await town(records)).scan()

    assert ("MAIL_SPF_LOOKUPS" in found(result)) is too_many
    assert "MAIL_SPF_PERMISSIVE" not in found(result)


async def test_an_spf_record_that_includes_itself_ends(town: BuildTown) -> None:
    place = await town(with_records({"example.com": {"TXT": ['"v=spf1 include:example.com +all"']}}))

    result = await place.scan()

    assert {"MAIL_SPF_LOOKUPS", "MAIL_SPF_PERMISSIVE"} <= found(result)
    assert place.dns.times_asked("example.com", "TXT") <= 12


async def test_two_spf_records_are_found(town: BuildTown) -> None:
    records = with_records({"example.com": {"TXT": ['"v=spf1 -all"', '"v=spf1 ~all"']}})

    result = await (await town(records)).scan()

    assert the(result, "MAIL_SPF_LOOKUPS").evidence == "There are 2 SPF records."


@pytest.mark.parametrize(
    ("exchangers", "evidence"), [(None, "It has no MX record."), (["0 ."], "It says so with a null MX.")]
)
async def test_a_domain_without_mail_is_not_judged_by_its_mail(
    town: BuildTown, exchangers: list[str] | None, evidence: str
) -> None:
    records = with_records({"example.com": {"MX": exchangers, "TXT": None}, "_dmarc.example.com": None})

    result = await (await town(records)).scan()

    assert found(result) == {"MAIL_MX_NONE_NULL"}
    assert the(result, "MAIL_MX_NONE_NULL").evidence == evidence
    assert result.score == 100
    assert "MAIL_SPF_MISSING" in result.unchecked


async def test_a_mail_gateway_is_seen_and_costs_nothing(town: BuildTown) -> None:
    records = with_records({"example.com": {"MX": ["10 mxa-0001.gslb.pphosted.com."]}})

    result = await (await town(records)).scan()

    assert the(result, "MAIL_MX_SEG").evidence == "mxa-0001.gslb.pphosted.com belongs to Proofpoint."
    assert result.score == 100


def mail_server(*extensions: bytes) -> Handler:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mx.example.com ESMTP\r\n")
        assert (await reader.readline()).startswith(b"EHLO ")
        writer.write(b"".join(b"250-" + line + b"\r\n" for line in extensions) + b"250 HELP\r\n")
        await writer.drain()
        await reader.read()

    return handle


OWN_EXCHANGER = {"example.com": {"MX": ["10 mx.example.com."]}, "mx.example.com": {"A": [HERE]}}


@pytest.mark.parametrize(("extension", "offers"), [(b"STARTTLS", True), (b"SIZE 1000", False)])
async def test_an_exchanger_without_encryption_is_found(
    town: BuildTown, extension: bytes, offers: bool
) -> None:
    place = await town(with_records(OWN_EXCHANGER), {25: mail_server(extension)})

    result = await place.scan()

    assert ("MAIL_STARTTLS" in found(result)) is not offers
    assert ("MAIL_STARTTLS" in result.passed) is offers


async def test_an_exchanger_that_does_not_answer_is_not_held_against_anybody(town: BuildTown) -> None:
    result = await (await town(with_records(OWN_EXCHANGER))).scan()

    assert result.outcome is ScanOutcome.FINISHED
    assert "MAIL_STARTTLS" in result.unchecked


async def test_an_exchanger_of_somebody_else_is_not_contacted(town: BuildTown) -> None:
    records = with_records({"mx.example.net": {"A": [HERE]}})
    place = await town(records, {25: mail_server(b"SIZE 1000")})

    result = await place.scan()

    assert "MAIL_STARTTLS" in result.unchecked
    assert place.dns.times_asked("mx.example.net", "A") == 0


@pytest.mark.parametrize(
    ("version", "unsupported"), [("15.1.2507.6", True), ("15.2.2561.99", True), ("15.2.2562.17", False)]
)
async def test_an_exchange_server_is_found_and_an_old_one_is_a_red_flag(
    town: BuildTown, version: str, unsupported: bool
) -> None:
    owa = Site({"/": http_answer(200), "/owa/": http_answer(200, X_OWA_Version=version)})
    place = await town(with_records({"mail.example.com": {"A": [HERE]}}), {443: owa})

    result = await place.scan()

    assert the(result, "MAIL_EXCHANGE_ONPREM").evidence == f"Exchange {version} answers at /owa/."
    assert ("MAIL_EXCHANGE_EOL" in found(result)) is unsupported
    assert result.red_flags_exist is unsupported


async def test_a_name_that_points_at_nothing_outside_is_dangling(town: BuildTown) -> None:
    records = with_records({"ftp.example.com": {"CNAME": ["gone.azurewebsites.net"]}})

    result = await (await town(records)).scan()

    finding = the(result, "DNS_DANGLING")
    assert finding.host == "ftp.example.com"
    assert finding.evidence == "It is an alias of gone.azurewebsites.net, which does not exist."


async def test_an_alias_inside_the_own_domain_is_not_dangling(town: BuildTown) -> None:
    records = with_records({"ftp.example.com": {"CNAME": ["gone.example.com"]}})

    result = await (await town(records)).scan()

    assert "DNS_DANGLING" in result.passed


async def test_a_page_that_says_nobody_holds_it_is_dangling(town: BuildTown) -> None:
    records = with_records(
        {"www.example.com": {"A": None, "CNAME": ["firm.github.io"]}, "firm.github.io": {"A": [HERE]}}
    )
    page = http_answer(404, "<p>There isn't a GitHub Pages site here.</p>")

    result = await (await town(records, {443: Site({"/": page})})).scan()

    assert the(result, "DNS_DANGLING").host == "www.example.com"


def name_server(*kinds: str) -> Handler:
    """Hand out a zone, or refuse, whatever the question."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        length = int.from_bytes(await reader.readexactly(2), "big")
        query = dns.message.from_wire(await reader.readexactly(length))
        assert query.question[0].rdtype == dns.rdatatype.AXFR
        response = dns.message.make_response(query)
        records = {"SOA": "ns.example.com. me.example.com. 1 2 3 4 5", "A": "192.0.2.1"}
        for kind in kinds:
            response.answer.append(dns.rrset.from_text("example.com.", 60, "IN", kind, records[kind]))
        if not kinds:
            response.set_rcode(dns.rcode.REFUSED)
        wire = response.to_wire()
        writer.write(len(wire).to_bytes(2, "big") + wire)
        await writer.drain()

    return handle


@pytest.mark.parametrize(("kinds", "allowed"), [(("SOA", "A"), True), (("SOA",), False), ((), False)])
async def test_a_zone_transfer_is_found_where_looking_for_it_is_asked_for(
    town: BuildTown, kinds: tuple[str, ...], allowed: bool
) -> None:
    place = await town(with_records({"ns.example.com": {"A": [HERE]}}), {53: name_server(*kinds)})

    result = await place.scan(try_zone_transfers=True)

    assert ("DNS_AXFR" in found(result)) is allowed
    assert ("DNS_AXFR" in result.passed) is not allowed


async def test_a_zone_transfer_is_not_tried_unasked(town: BuildTown) -> None:
    place = await town(with_records({"ns.example.com": {"A": [HERE]}}), {53: name_server("SOA", "A")})

    result = await place.scan()

    assert "DNS_AXFR" not in {*found(result), *result.passed, *result.unchecked}


async def test_a_name_server_that_greets_with_rubbish_is_no_finding(town: BuildTown) -> None:
    place = await town(with_records({"ns.example.com": {"A": [HERE]}}), {53: greeting(b"\x00\x05hello")})

    async with asyncio.timeout(120):
        result = await place.scan(try_zone_transfers=True)

    assert "DNS_AXFR" in result.passed
