"""Time stamps of seals, as servers give them and as they should not."""

import pytest
from asn1crypto import tsp
from cryptography.x509.oid import ExtendedKeyUsageOID

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents.seal import seal_pdf, stamp_request, verify_seal, with_stamp
from bindery.domain.documents.seal import SealFlaw, Stamp, StampRefused
from documents.reading import plain_document
from support import seals
from support.seals import AT, STAMPED, StampServer, key_of, sealed

D = DocumentType
F = SealFlaw


@pytest.fixture(scope="module")
def server() -> StampServer:
    return StampServer()


def flaws(pdf: bytes) -> tuple[SealFlaw, ...]:
    return verify_seal(pdf, key_of().certificates).flaws


def test_a_stamp_says_when_the_seal_existed(server: StampServer) -> None:
    unstamped = sealed(room_for_stamp=True)
    request = stamp_request(unstamped)

    stamped = with_stamp(unstamped, request, server.answer(request))

    report = verify_seal(stamped, key_of().certificates)
    assert report.flaws == ()
    assert report.stamp == Stamp(by="Example Time", at=STAMPED)
    assert len(stamped) == len(unstamped)
    assert flaws(stamped + b"\n") == (F.ADDED_TO,)


def test_a_stamp_of_another_seal_is_found(server: StampServer) -> None:
    unstamped, other = sealed(room_for_stamp=True), sealed(D.QUOTE_LETTER, room_for_stamp=True)
    request = stamp_request(other)
    stamped = with_stamp(other, request, server.answer(request))
    (theirs,) = seals.signature_of(stamped)["content"]["signer_infos"]
    content = seals.signature_of(unstamped)
    content["content"]["signer_infos"][0]["unsigned_attrs"] = theirs["unsigned_attrs"]

    assert flaws(seals.with_signature(unstamped, content.dump())) == (F.STAMP_DAMAGED,)


def test_what_is_no_stamp_of_this_seal_is_refused(server: StampServer) -> None:
    unstamped = sealed(room_for_stamp=True)
    request = stamp_request(unstamped)
    nonce = tsp.TimeStampReq.load(request)["nonce"].native
    other = stamp_request(sealed(D.QUOTE_LETTER, room_for_stamp=True))
    good = server.answer(request)

    answers = {
        "nothing": b"",
        "a page": b"<html>busy</html>",
        "a refusal": bytes.fromhex("30053003020102"),
        "another nonce": server.answer(request, nonce=5),
        "another digest": server.answer(other, nonce=nonce),
        "a weak digest": server.answer(request, message_imprint=seals.weak_imprint(unstamped)),
        "a certificate for something else": StampServer(ExtendedKeyUsageOID.CODE_SIGNING).answer(request),
        "a changed signature": good[:-1] + bytes([good[-1] ^ 1]),
    }

    taken = [what for what, answer in answers.items() if is_taken(unstamped, request, answer)]

    assert taken == []


def is_taken(unstamped: bytes, request: bytes, answer: bytes) -> bool:
    try:
        with_stamp(unstamped, request, answer)
    except StampRefused:
        return False
    return True


def test_a_stamp_that_does_not_fit_is_refused(server: StampServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bindery.documents.seal.sealing.SIGNATURE_BYTES", 1_000)
    tight = seal_pdf(plain_document(D.APPLICATION, InsuranceProduct.CYB), key_of(), at=AT)
    request = stamp_request(tight)

    with pytest.raises(StampRefused, match="too large"):
        with_stamp(tight, request, server.answer(request))
