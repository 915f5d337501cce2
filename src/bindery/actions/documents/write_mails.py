"""Writing the mails of a step, in the transaction of that step."""

import msgspec

from bindery.domain.business_rules import BusinessRules
from bindery.domain.documents.notices import PolicyEvent
from bindery.domain.messages.mails import (
    Addressees,
    Enclosure,
    addressees_of,
    notice_mail,
    offer_mail,
    policy_mails,
)
from bindery.domain.policy.policy import Policy
from bindery.domain.policy.renewal import binds_automatically
from bindery.domain.quote.quote import Quote
from bindery.domain.submission.value import client_of
from bindery.storage.database import Reader, Tx
from bindery.storage.documents import mails
from bindery.storage.policy import policies
from bindery.storage.quote import contingencies
from bindery.storage.submission import submissions


async def write_offer_mail(
    tx: Tx, rules: BusinessRules, renewal: Quote, expiring: Policy, *, reminder: int = 0
) -> None:
    """Offer a renewal to its broker, or remind of it."""
    mail = offer_mail(
        await _addressees(tx, renewal),
        renewal,
        expiring,
        platform=rules.platform_url,
        binds_automatically=binds_automatically(expiring, await contingencies.of_quote(tx, renewal.quote_id)),
        reminder=reminder,
    )
    await mails.write(tx, renewal.quote_id, [mail])


async def write_policy_mails(tx: Tx, quote: Quote, policy: Policy) -> None:
    await mails.write(tx, quote.quote_id, policy_mails(await _addressees(tx, quote), quote, policy))


async def write_notice_mail(tx: Tx, quote: Quote, event: PolicyEvent, notice: Enclosure) -> None:
    policy = await policies.get(tx, quote.quote_id)
    await mails.write(
        tx, quote.quote_id, [notice_mail(await _addressees(tx, quote), quote, policy, event, notice)]
    )


async def _addressees(tx: Reader, quote: Quote) -> Addressees:
    stored = await submissions.get(tx, quote.submission_id)
    contacts = await policies.contacts_of(tx, quote.quote_id)
    return addressees_of(client_of(stored.body), msgspec.json.decode(contacts) if contacts else None)
