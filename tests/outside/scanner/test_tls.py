import datetime as dt
import ssl
import warnings
from pathlib import Path

import pytest

from bindery.domain.scan.scan import ScanOutcome
from bindery.outside.scanner.tls_checks import TlsContexts, tls_contexts
from outside.scanner.town import FAR_AWAY, BuildTown, found, the, with_records
from support.network import HERE, NOW, Authority, Site, greeting, http_answer, make_authority

NAMES = ("example.com", "*.example.com")


async def test_an_expired_certificate_is_found(town: BuildTown, authority: Authority) -> None:
    expired = authority.server(*NAMES, until=dt.datetime(2021, 3, 4, tzinfo=dt.UTC))

    result = await (await town(tls=expired)).scan()

    findings = [finding for finding in result.findings if finding.check_id == "TLS_EXPIRED"]
    assert {finding.host for finding in findings} == {"example.com", "www.example.com"}
    assert findings[0].evidence == "The certificate expired on 2021-03-04."
    assert found(result) == {"TLS_EXPIRED"}
    assert result.score == 92


@pytest.mark.parametrize(
    ("left", "check_ids"),
    [
        (dt.timedelta(0), {"TLS_EXPIRED"}),
        (dt.timedelta(seconds=1), {"TLS_EXPIRING"}),
        (dt.timedelta(days=14), {"TLS_EXPIRING"}),
        (dt.timedelta(days=14, seconds=1), set()),
    ],
)
async def test_a_certificate_close_to_its_end_is_found(
    town: BuildTown, authority: Authority, left: dt.timedelta, check_ids: set[str]
) -> None:
    result = await (await town(tls=authority.server(*NAMES, until=NOW + left))).scan()

    assert found(result) == check_ids


async def test_a_certificate_for_another_name_is_found(town: BuildTown, authority: Authority) -> None:
    result = await (await town(tls=authority.server("other.example.net", until=FAR_AWAY))).scan()

    assert found(result) == {"TLS_NAME"}
    assert "Hostname mismatch" in result.findings[0].evidence


async def test_an_expired_certificate_for_another_name_is_both(town: BuildTown, authority: Authority) -> None:
    until = dt.datetime(2021, 1, 1, tzinfo=dt.UTC)

    result = await (await town(tls=authority.server("other.example.net", until=until))).scan()

    assert found(result) == {"TLS_NAME", "TLS_EXPIRED"}


async def test_a_certificate_of_an_unknown_authority_is_found(town: BuildTown, tmp_path: Path) -> None:
    place = await town()
    place.authority = make_authority(tmp_path)

    result = await place.scan()

    assert found(result) == {"TLS_NAME"}


async def test_a_weak_key_is_found(town: BuildTown, authority: Authority) -> None:
    result = await (await town(tls=authority.server(*NAMES, until=FAR_AWAY, weak=True))).scan()

    assert found(result) == {"TLS_WEAKKEY"}
    assert result.findings[0].evidence == "The certificate has an RSA key of 1024 bits."


async def test_a_site_without_https_is_found(town: BuildTown) -> None:
    site = Site({"/": http_answer(200, Server="plain")})

    result = await (await town(servers={80: site, 443: None})).scan()

    assert {"TLS_NONE"} <= found(result)
    assert "HTTP_NO_REDIRECT" not in found(result)
    assert "TLS_EXPIRED" in result.unchecked


async def test_something_else_than_tls_on_443_is_a_site_without_https(town: BuildTown) -> None:
    place = await town(servers={443: None, 80: Site({"/": http_answer(200)})})
    plain = await town(servers={443: None, 80: None, 21: greeting(b"SSH-2.0-other\r\n")})
    place.ports = {**place.ports, 443: plain.ports[21]}

    result = await place.scan()

    assert "TLS_NONE" in found(result)
    assert result.outcome is ScanOutcome.FINISHED


def old_server(authority: Authority) -> ssl.SSLContext:
    context = authority.server(*NAMES, until=FAR_AWAY)
    context.set_ciphers("ALL:@SECLEVEL=0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        context.minimum_version = ssl.TLSVersion.TLSv1
    return context


async def test_an_old_version_of_tls_is_found_or_reported_as_unknown(
    town: BuildTown, authority: Authority
) -> None:
    result = await (await town(tls=old_server(authority))).scan()

    if tls_contexts().old_only is None:
        assert "TLS_OLD" in result.unchecked
    else:
        assert found(result) == {"TLS_OLD"}
        assert result.findings[0].evidence == "The server accepted a handshake with TLSv1.1."


async def test_where_our_own_library_refuses_old_versions_they_are_unknown(
    town: BuildTown, authority: Authority
) -> None:
    place = await town(tls=old_server(authority))
    scanner = place.scanner()
    capable = tls_contexts(authority.pem)
    scanner._contexts = TlsContexts(capable.verifying, capable.reading, old_only=None)

    (result,) = await scanner.scan_each(["example.com"], at=NOW)

    assert "TLS_OLD" in result.unchecked
    assert "TLS_OLD" not in {*found(result), *result.passed}
    assert result.outcome is ScanOutcome.FINISHED
    assert any("library refuses" in note for note in result.notes)


async def test_a_server_that_refuses_old_versions_passes(town: BuildTown) -> None:
    result = await (await town()).scan()

    assert ("TLS_OLD" in result.passed) is (tls_contexts().old_only is not None)


async def test_the_certificate_asked_for_is_that_of_the_name(town: BuildTown, authority: Authority) -> None:
    asked = []
    context = authority.server(*NAMES, until=FAR_AWAY)
    context.sni_callback = lambda _, name, __: asked.append(name)

    await (await town(tls=context)).scan()

    assert set(asked) == {"example.com", "www.example.com"}


async def test_the_certificate_of_a_further_host_is_looked_at(town: BuildTown, authority: Authority) -> None:
    records = with_records({"vpn.example.com": {"A": [HERE]}})
    tls = authority.server("example.com", "www.example.com", until=FAR_AWAY)

    result = await (await town(records, tls=tls)).scan()

    assert the(result, "TLS_NAME").host == "vpn.example.com"
