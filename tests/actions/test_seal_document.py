"""Sealing on a running service: one key however many ask, replaced, the operator's own; time stamps."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import asyncpg
import pytest
from aiohttp import web

from bindery.actions.documents.find_seal_key import (
    ensure_seal_key,
    find_certificates,
    find_seal_key,
    replace_seal_key,
    reseal_seal_key,
)
from bindery.actions.documents.seal_document import SealedDocument, seal_document
from bindery.base.errors import InvalidRequest, Misconfigured
from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents.seal import verify_seal
from bindery.domain.documents.seal import SealReport
from bindery.outside import time_stamps
from bindery.outside.seal_keys import read_certificates
from bindery.runtime import Runtime
from documents.reading import plain_document
from support.network import closed_port
from support.receiver import Received, receiving
from support.seals import STAMPED, StampServer, key_of, pem_of
from support.service import Service, serving

APPLICATION: Final = plain_document(DocumentType.APPLICATION, InsuranceProduct.CYB)
FORMER: Final = "a-former-key-of-the-tests-0123456789-abcdef"
Lines = Callable[[], list[dict[str, Any]]]


async def verified(runtime: Runtime, sealed: SealedDocument) -> SealReport:
    kept = await find_certificates(runtime)
    trusted = [read_certificates(found.certificates.encode())[0] for found in kept]
    return verify_seal(sealed.pdf, trusted)


async def test_a_service_seals_with_a_key_that_it_made(service: Service) -> None:
    runtime = service.runtime

    sealed = await seal_document(runtime, APPLICATION)

    report = await verified(runtime, sealed)
    assert report.flaws == ()
    assert report.sealed_by == "Bindery document seal, 127.0.0.1"
    assert report.sealed_at == sealed.sealed_at.replace(microsecond=0)
    assert (
        report.certificate_sha256 == sealed.certificate_sha256 == (await find_seal_key(runtime)).sha256.hex()
    )
    assert (report.stamp, sealed.is_stamped) == (None, False)


async def test_a_document_of_the_plain_press_of_the_tests_is_sealed_plainly(
    service: Service, plain_printing: None
) -> None:
    assert (await seal_document(service.runtime, b"%PDF-1.7")).pdf == b"%PDF-1.7 sealed"


async def test_the_database_holds_the_key_sealed(service: Service) -> None:
    key = await find_seal_key(service.runtime)

    row = await service.runtime.database.pool.fetchrow("select * from seal_certificates")

    assert row is not None
    assert key.private_key not in row["sealed_key"]
    assert "PRIVATE" not in row["certificates"]
    owner = f"seal {key.sha256.hex()}"
    assert service.runtime.sealer.open(row["sealed_key"], owner=owner) == key.private_key


async def test_many_at_once_make_one_key(service: Service) -> None:
    found = await asyncio.gather(*(find_seal_key(service.runtime) for _ in range(6)))

    assert len({key.sha256 for key in found}) == 1
    assert await service.count("seal_certificates") == 1


async def test_a_second_key_beside_the_first_is_refused_by_the_database(service: Service) -> None:
    await ensure_seal_key(service.runtime)

    with pytest.raises(asyncpg.UniqueViolationError, match="one_seal_key"):
        await service.runtime.database.pool.execute(
            "insert into seal_certificates (fingerprint, certificates, sealed_key, added_at) "
            "values ('\\x00', '', '\\x00', now())"
        )


async def test_what_a_replaced_key_sealed_is_still_as_it_was_sealed(service: Service) -> None:
    runtime = service.runtime
    before = await seal_document(runtime, APPLICATION)
    replaced = await replace_seal_key(runtime)

    after = await seal_document(runtime, APPLICATION)

    assert after.certificate_sha256 == replaced.sha256.hex() != before.certificate_sha256
    assert [(await verified(runtime, sealed)).flaws for sealed in (before, after)] == [(), ()]
    kept = await find_certificates(runtime)
    assert [found.fingerprint.hex() for found in kept] == [
        after.certificate_sha256,
        before.certificate_sha256,
    ]
    # The former key is gone for good.
    assert [found.sealed_key is None for found in kept] == [False, True]
    assert [found.replaced_at is None for found in kept] == [True, False]


async def test_two_who_replace_the_key_at_once_leave_one(service: Service) -> None:
    await ensure_seal_key(service.runtime)

    made = await asyncio.gather(*(replace_seal_key(service.runtime) for _ in range(4)))

    kept = await find_certificates(service.runtime)
    assert kept[0].fingerprint in {key.sha256 for key in made}
    assert [found.sealed_key is None for found in kept] == [False, *[True] * (len(kept) - 1)]


async def test_a_changed_secret_key_seals_the_key_anew(dsn: str, tmp_path: Path, log_lines: Lines) -> None:
    async with serving(dsn, tmp_path, secret_key=FORMER) as before:
        key = await find_seal_key(before.runtime)

    async with serving(dsn, tmp_path, old_secret_keys=(FORMER,)) as between:
        resealed = [await reseal_seal_key(between.runtime) for _ in range(2)]
    async with serving(dsn, tmp_path) as after:
        assert await find_seal_key(after.runtime) == key

    assert resealed == [1, 0]
    assert [line["count"] for line in log_lines() if line["event"] == "seal_key_resealed"] == [1]


async def test_a_key_that_no_secret_key_opens_is_named_and_can_be_replaced(
    dsn: str, tmp_path: Path, log_lines: Lines
) -> None:
    async with serving(dsn, tmp_path, secret_key=FORMER) as before:
        sealed = await seal_document(before.runtime, APPLICATION)

    async with serving(dsn, tmp_path) as after:
        # Neither a migration nor a start is stopped by it.
        await ensure_seal_key(after.runtime)
        with pytest.raises(Misconfigured, match="BINDERY_OLD_SECRET_KEYS"):
            await seal_document(after.runtime, APPLICATION)
        resealed = await reseal_seal_key(after.runtime)
        await replace_seal_key(after.runtime)

        assert (await verified(after.runtime, await seal_document(after.runtime, APPLICATION))).flaws == ()
        assert (await verified(after.runtime, sealed)).flaws == ()
    assert resealed == 0
    assert "seal_key_unreadable" in {line["event"] for line in log_lines()}


async def test_nothing_is_sealed_anew_where_there_is_no_key(service: Service) -> None:
    assert await reseal_seal_key(service.runtime) == 0
    assert await service.count("seal_certificates") == 0


async def test_the_operators_own_key_seals_and_its_certificate_is_kept(dsn: str, tmp_path: Path) -> None:
    file = tmp_path / "seal.pem"
    file.write_bytes(pem_of(key_of()))
    async with serving(dsn, tmp_path) as before:
        made = await seal_document(before.runtime, APPLICATION)

    async with serving(dsn, tmp_path, seal_key_file=file) as service:
        own = [await seal_document(service.runtime, APPLICATION) for _ in range(2)]
        with pytest.raises(InvalidRequest, match="put another into that file"):
            await replace_seal_key(service.runtime)
        listed = await find_certificates(service.runtime)
    async with serving(dsn, tmp_path) as after:
        reports = [await verified(after.runtime, sealed) for sealed in (made, *own)]
        again = await seal_document(after.runtime, APPLICATION)

    assert {sealed.certificate_sha256 for sealed in own} == {key_of().sha256.hex()}
    assert [report.flaws for report in reports] == [()] * 3
    # The operator's first, while it seals; without the setting ours seals as before.
    assert [found.fingerprint for found in listed] == [
        key_of().sha256,
        bytes.fromhex(made.certificate_sha256),
    ]
    assert again.certificate_sha256 == made.certificate_sha256


async def test_a_certificate_that_ended_meanwhile_still_seals_and_is_logged(
    service: Service, log_lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ensure_seal_key(service.runtime)
    later = service.runtime.clock.real_now().replace(year=2060)
    monkeypatch.setattr(type(service.runtime.clock), "real_now", staticmethod(lambda: later))

    sealed = await seal_document(service.runtime, APPLICATION)

    assert (await verified(service.runtime, sealed)).flaws == ("certificate_not_valid",)
    assert "seal_certificate_expired" in {line["event"] for line in log_lines()}


async def test_a_time_stamp_server_vouches_for_the_time(dsn: str, tmp_path: Path) -> None:
    stamps = StampServer()

    def answer(received: Received) -> web.Response:
        assert received.headers["content-type"] == "application/timestamp-query"
        return web.Response(body=stamps.answer(received.body))

    async with receiving() as receiver:
        receiver.answer = answer
        async with serving(dsn, tmp_path, timestamp_url=f"{receiver.url}/stamp") as service:
            sealed = await seal_document(service.runtime, APPLICATION)
            report = await verified(service.runtime, sealed)

    assert sealed.is_stamped
    assert report.flaws == ()
    assert report.stamp is not None
    assert report.stamp.at == STAMPED
    # It learns a digest, and nothing of the document.
    assert len(receiver.got[0].body) < 100


async def test_a_time_stamp_server_that_fails_holds_nothing_up(
    dsn: str, tmp_path: Path, log_lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time_stamps, "ANSWER_WITHIN_S", 0.3)

    async def never(_: Received) -> web.Response:
        await asyncio.sleep(60)
        return web.Response()

    async def sealed_at(url: str) -> SealedDocument:
        async with serving(dsn, tmp_path, timestamp_url=url) as service:
            sealed = await seal_document(service.runtime, APPLICATION)
            assert (await verified(service.runtime, sealed)).flaws == ()
        return sealed

    sealed = []
    with closed_port() as port:
        sealed.append(await sealed_at(f"http://127.0.0.1:{port}/"))
    async with receiving() as receiver:
        receiver.answer = lambda _: web.Response(status=503)
        sealed.append(await sealed_at(receiver.url))
        receiver.answer = lambda _: web.Response(text="no stamp today")
        sealed.append(await sealed_at(receiver.url))
        receiver.answer = never
        sealed.append(await sealed_at(receiver.url))

    assert [document.is_stamped for document in sealed] == [False] * 4
    reasons = [line["reason"] for line in log_lines() if line["event"] == "stamp_failed"]
    assert reasons[0] == "Connection refused"
    assert reasons[1] == "it answered 503"
    assert reasons[2].startswith("Insufficient data")
    assert reasons[3] == "no answer in time"
