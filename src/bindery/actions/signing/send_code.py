import secrets
from dataclasses import dataclass
from datetime import datetime

import structlog

from bindery.actions.documents.write_mails import gather_mail_facts
from bindery.actions.signing.find_link import ClientVisit, find_link, find_standing
from bindery.actions.signing.send_link import write_secret_mail
from bindery.domain.messages.signing_mails import about_of, code_mail
from bindery.domain.signing.client_link import (
    MOST_CODES_OF_A_LINK,
    MOST_CODES_OF_AN_ADDRESS,
    LinkEnded,
    TooManyTries,
)
from bindery.domain.signing.signing import CODE_DIGITS, hash_of_code, why_not_signable
from bindery.runtime import Runtime
from bindery.storage.quote import quotes
from bindery.storage.signing import client_links, link_limits, signing_codes

log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class SentCode:
    """A code that was mailed; only the demo shows it."""

    email: str
    expires_at: datetime
    shown: str | None


async def send_code(runtime: Runtime, token: str, visit: ClientVisit) -> SentCode:
    """Mail a new code to the address of the link; the one before does not work any more.

    Raises:
        LinkEnded: the link does not work.
        TermsNoLongerHold: nothing can be signed; no mail was written.
        TooManyTries: too many codes were asked for, for this link or from this address.
    """
    found = await find_link(runtime.database, token, visit)
    limits = {
        f"client link code {found.link_id}": MOST_CODES_OF_A_LINK,
        f"client link code by {visit.address}": MOST_CODES_OF_AN_ADDRESS,
    }
    code = f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}"
    sealer, rules = runtime.sealer, runtime.rules
    async with runtime.database.transaction() as tx:
        quote = await quotes.get(tx, found.subject)
        if (why := why_not_signable(await find_standing(tx, quote))) is not None:
            raise why
        if not await link_limits.spend(tx, limits):
            raise TooManyTries("Too many codes were asked for.")
        link = await client_links.lock(tx, found.link_id)
        if not link.is_waiting:
            raise LinkEnded
        expires_at = await signing_codes.replace(tx, link.link_id, hash_of_code(token, code))
        about = about_of(await gather_mail_facts(tx, rules, quote))
        mail = code_mail(link, about, expires_at=expires_at, zone=rules.zone)
        await write_secret_mail(tx, sealer, None, mail, secret=code)
    log.info("signing_code_sent", signature_request_id=str(found.link_id), address=visit.address)
    return SentCode(
        email=link.email, expires_at=expires_at, shown=code if rules.demo_outcomes.shows_codes else None
    )
