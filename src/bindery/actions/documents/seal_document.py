from dataclasses import dataclass
from datetime import datetime

import structlog

from bindery.actions.documents.find_seal_key import find_seal_key
from bindery.documents.presses import PressFailed
from bindery.domain.documents.seal import StampRefused
from bindery.outside.addresses import PUBLIC_ONLY, PUBLIC_OR_LOOPBACK
from bindery.outside.seal_keys import ends_at
from bindery.outside.time_stamps import ask_for_stamp
from bindery.runtime import Runtime

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedDocument:
    """A sealed PDF, and what to keep about its seal."""

    pdf: bytes
    sealed_at: datetime
    certificate_sha256: str
    is_stamped: bool


async def seal_document(runtime: Runtime, pdf: bytes) -> SealedDocument:
    """Seal a finished PDF; call it with no transaction open, since a server elsewhere may be asked.

    A time-stamp server that does not answer, or not with a stamp, holds nothing up: the seal then has the
    service's own time, which is logged and returned. It is not asked again later, because the sealed file is
    kept and mailed at once, and with a stamp it would be another file.

    Raises:
        Misconfigured: the key was sealed with a secret key that is not configured.
        PressFailed: the PDF cannot be sealed.
    """
    key = await find_seal_key(runtime)
    at = runtime.clock.real_now()
    if at > (ended := ends_at(key.certificates[0])):
        # What was changed still shows; who verifies is told of the certificate.
        log.warning("seal_certificate_expired", ended=ended.isoformat())
    url = runtime.settings.timestamp_url
    sealed = await runtime.presses.seal(pdf, key, at=at, room_for_stamp=bool(url))
    stamped = await _stamped(runtime, sealed, url) if url else None
    return SealedDocument(
        pdf=stamped or sealed,
        sealed_at=at,
        certificate_sha256=key.sha256.hex(),
        is_stamped=stamped is not None,
    )


async def _stamped(runtime: Runtime, sealed: bytes, url: str) -> bytes | None:
    request = await runtime.presses.stamp_request(sealed)
    rule = PUBLIC_OR_LOOPBACK if runtime.settings.allows_local_endpoints else PUBLIC_ONLY
    try:
        answer = await ask_for_stamp(url, request, rule=rule)
        return await runtime.presses.stamp(sealed, request, answer)
    except TimeoutError:
        reason = "no answer in time"
    except (OSError, StampRefused) as fault:
        reason = str(fault)
    except PressFailed as fault:
        # Over an answer that was made to do harm.
        reason = str(fault).strip().splitlines()[-1]
    log.warning("stamp_failed", server=url, reason=reason)
    return None
