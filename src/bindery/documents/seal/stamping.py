"""Time stamps (RFC 3161): a server vouches that the signature of a seal existed at a moment."""

import hashlib
from typing import Final

from asn1crypto.cms import CMSAttributes, ContentInfo, SignerInfo
from asn1crypto.tsp import TimeStampReq, TimeStampResp
from pyhanko.sign.general import find_cms_attribute_iter, simple_cms_attribute
from pyhanko.sign.timestamps import TimeStamper
from pyhanko.sign.timestamps.common_utils import handle_tsp_response

from bindery.documents.seal.signature import (
    check_signature,
    content_of,
    name_in,
    newest_signature,
    place_of,
    signer_in,
)
from bindery.domain.documents.seal import Stamp, StampRefused

STAMP: Final = "signature_time_stamp_token"
DIGESTS: Final = frozenset({"sha256", "sha384", "sha512"})


def stamp_request(sealed: bytes) -> bytes:
    """Return what to ask a time-stamp server for; it learns a digest of the seal and nothing else."""
    signer = signer_in(content_of(sealed, newest_signature(sealed)))
    digest = hashlib.sha256(signer["signature"].native).digest()
    _, request = TimeStamper().request_cms(digest, "sha256")
    asked: bytes = request.dump()
    return asked


def with_stamp(sealed: bytes, request: bytes, answer: bytes) -> bytes:
    """Put a stamp into the room that a seal has for it.

    Raises:
        StampRefused: the answer is no stamp, is about something else, or does not fit.
    """
    signature = newest_signature(sealed)
    content, (begin, end) = content_of(sealed, signature), place_of(signature)
    signer = signer_in(content)
    nonce = TimeStampReq.load(request)["nonce"].native
    try:
        token = handle_tsp_response(TimeStampResp.load(answer), nonce)
        read_stamp(token, signer)
    except Exception as fault:
        # A server may answer anything, and the libraries raise anything over it.
        raise StampRefused(str(fault) or type(fault).__name__) from fault
    signer["unsigned_attrs"] = CMSAttributes([simple_cms_attribute(STAMP, token)])
    room = end - begin - 2
    stamped: bytes = content.dump().hex().encode()
    if len(stamped) > room:
        raise StampRefused(f"The stamp is too large: {len(stamped) // 2:,} bytes with the seal")
    return sealed[: begin + 1] + stamped.ljust(room, b"0") + sealed[end - 1 :]


def stamp_in(signer: SignerInfo) -> ContentInfo | None:
    return next(find_cms_attribute_iter(signer["unsigned_attrs"], STAMP), None)


def read_stamp(token: ContentInfo, signer: SignerInfo) -> Stamp:
    """Return what a stamp says, if it is about the signature and was made as stamps are.

    Whether its server is to be trusted is not asked: that is for whoever reads its name.

    Raises:
        ValueError: it is not.
    """
    encapsulated = token["content"]["encap_content_info"]["content"]
    said = encapsulated.parsed
    algorithm = said["message_imprint"]["hash_algorithm"]["algorithm"].native
    if algorithm not in DIGESTS:
        raise ValueError(f"The stamp is over a digest that is too weak: {algorithm}")
    digest = hashlib.new(algorithm, signer["signature"].native).digest()
    if said["message_imprint"]["hashed_message"].native != digest:
        raise ValueError("The stamp is of something else")
    own = hashlib.new(signer_in(token)["digest_algorithm"]["algorithm"].native, bytes(encapsulated)).digest()
    checked = check_signature(token, own, kind="tst_info")
    if not (checked.is_of_content and checked.is_genuine):
        raise ValueError("The stamp is not signed by the server that it names")
    usage = checked.certificate.extended_key_usage_value
    if usage is None or "time_stamping" not in usage.native:
        raise ValueError("The stamp is signed by a certificate that is not for time stamps")
    return Stamp(by=name_in(checked.certificate.subject), at=said["gen_time"].native)
