"""Gathering the facts that documents show, freezing them, and writing the mails that go with them."""

import uuid
from collections.abc import Mapping, Sequence

import msgspec

from bindery.contract.documents import PacketType
from bindery.contract.events import AlertFinding
from bindery.domain.business_rules import BusinessRules
from bindery.domain.documents.building import applicant_facts, option_facts
from bindery.domain.documents.comparison import ComparisonFacts, comparison_facts
from bindery.domain.documents.facts import ApplicantFacts, Binding, DocumentFacts, OptionFacts, join_facts
from bindery.domain.documents.notices import PolicyEvent
from bindery.domain.messages.mails import (
    Addressees,
    Enclosure,
    addressees_of,
    notice_mail,
    offer_mail,
    policy_mails,
    security_alert_mail,
)
from bindery.domain.policy.policy import Policy
from bindery.domain.policy.renewal import binds_automatically, reminders_due
from bindery.domain.quote.quote import Quote
from bindery.domain.submission.value import client_of
from bindery.storage.database import Reader, Tx
from bindery.storage.documents import mails, packets
from bindery.storage.documents.packets import Background, FrozenPacket
from bindery.storage.policy import notices, policies, rescans
from bindery.storage.quote import contingencies, quotes
from bindery.storage.submission import submissions
from bindery.storage.submission.submissions import StoredSubmission


async def freeze_published_offers(
    tx: Tx,
    rules: BusinessRules,
    opened: Mapping[uuid.UUID, tuple[StoredSubmission, Sequence[Quote]]],
    expiring: Mapping[uuid.UUID, Policy],
) -> None:
    """Freeze the facts that the documents of newly opened offers show; both maps are by submission id.

    A renewal is recorded with the policy that it renews, and its broker gets a mail.
    """
    await _freeze_offers(tx, rules, opened)
    for submission_id, policy in expiring.items():
        _, options = opened.get(submission_id, (None, ()))
        for quote in options:
            await policies.record_renewal(
                tx,
                policy.quote_id,
                renewal_quote_id=quote.quote_id,
                # An offer that comes late stands for the reminders that should have gone out before it.
                reminders_sent=reminders_due(policy.term.expiration, tx.today),
            )
            await write_offer_mail(tx, rules, quote, policy)


async def _freeze_offers(
    tx: Tx, rules: BusinessRules, opened: Mapping[uuid.UUID, tuple[StoredSubmission, Sequence[Quote]]]
) -> None:
    quotes_opened = [quote for _, options in opened.values() for quote in options]
    if not quotes_opened:
        return
    owed = await contingencies.of_quotes(tx, [quote.quote_id for quote in quotes_opened])
    known = await packets.of_submissions(tx, list(opened))
    frozen = []
    for stored, options in opened.values():
        applicant = _applicant_facts(rules, stored, known[stored.submission_id])
        client = client_of(stored.body)
        expiring = await _expiring(tx, stored)
        alarms = await rescans.alarms_of(tx, stored.renews) if stored.renews else ()
        frozen += [
            FrozenPacket(
                submission_id=stored.submission_id,
                quote_id=quote.quote_id,
                packet=PacketType.QUOTE,
                applicant=applicant,
                option=option_facts(
                    applicant,
                    quote,
                    term=stored.submission.term,
                    client=client,
                    contingencies=owed[quote.quote_id],
                    issued_on=tx.today,
                    expiring=expiring,
                    alarms=alarms,
                ),
            )
            for quote in options
        ]
    await packets.freeze(tx, frozen)


async def freeze_packet(tx: Tx, rules: BusinessRules, quote: Quote, packet: PacketType) -> None:
    """Freeze the facts that the documents of a bind or an issuance show."""
    applicant, option = await _gather(tx, rules, quote)
    await packets.freeze(
        tx,
        [
            FrozenPacket(
                submission_id=quote.submission_id,
                quote_id=quote.quote_id,
                packet=packet,
                applicant=applicant,
                option=option,
            )
        ],
    )


async def gather_facts(tx: Reader, rules: BusinessRules, quote: Quote) -> DocumentFacts:
    """Gather the facts that the documents of a quote would show if they were issued now."""
    return join_facts(*await _gather(tx, rules, quote))


def _applicant_facts(rules: BusinessRules, stored: StoredSubmission, known: Background) -> ApplicantFacts:
    return applicant_facts(
        stored.submission,
        company_id=stored.company_id,
        client=client_of(stored.body),
        scan=stored.scan,
        submitted_on=rules.day_of(stored.created_at),
        broker_name=known.broker_name,
        broker_firm=known.broker_firm,
        earlier=known.earlier_scan,
    )


async def _gather(tx: Reader, rules: BusinessRules, quote: Quote) -> tuple[ApplicantFacts, OptionFacts]:
    stored = await submissions.get(tx, quote.submission_id)
    term, binding = stored.submission.term, None
    policy = await policies.find(tx, quote.quote_id)
    contacts = await policies.contacts_of(tx, quote.quote_id) if policy else None
    if policy is not None and policy.policy_number is not None and policy.bound_on is not None:
        renewed = await policies.find(tx, stored.renews) if stored.renews else None
        term = policy.term
        binding = Binding(
            policy_number=policy.policy_number,
            bound_on=policy.bound_on,
            fulfil_by=policy.fulfil_by,
            issued_on=policy.issued_on,
            renewal_of=renewed.policy_number if renewed else None,
        )
    known = await packets.of_submissions(tx, [stored.submission_id])
    applicant = _applicant_facts(rules, stored, known[stored.submission_id])
    option = option_facts(
        applicant,
        quote,
        term=term,
        client=client_of(stored.body, contacts),
        contingencies=await contingencies.of_quote(tx, quote.quote_id),
        issued_on=tx.today,
        binding=binding,
        expiring=await _expiring(tx, stored),
        alarms=await rescans.alarms_of(tx, stored.renews) if stored.renews else (),
    )
    return applicant, option


async def find_comparison(
    tx: Reader, rules: BusinessRules, quote_id: uuid.UUID, first: int | None = None
) -> ComparisonFacts:
    """Put the frozen offers of a submission side by side: all of them, or the `first` ones."""
    found = await packets.offered_options(tx, quote_id)
    applicant = found.applicant
    compared = {}
    for offered in found.options[:first]:
        option = offered.facts
        if option is None or applicant is None:
            applicant, option = await _gather(tx, rules, await quotes.get(tx, offered.quote_id))
        # People count options from one.
        compared[offered.option_number + 1] = option
    assert applicant is not None, "an option of it was offered"
    return comparison_facts(applicant, compared, asked_for=found.asked_for)


async def _expiring(tx: Reader, stored: StoredSubmission) -> DocumentFacts | None:
    if stored.renews is None:
        return None
    found = await packets.find(tx, stored.renews, PacketType.POLICY)
    return found.facts if found else None


async def find_facts(
    tx: Reader, rules: BusinessRules, quote_id: uuid.UUID, packet: PacketType
) -> DocumentFacts:
    """Return the frozen facts of a packet; today's where none were frozen, as while a person decides."""
    found = await packets.find(tx, quote_id, packet)
    if found is not None:
        return found.facts
    return await gather_facts(tx, rules, await quotes.get(tx, quote_id))


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


async def write_alert_mail(tx: Tx, quote: Quote, policy: Policy, findings: Sequence[AlertFinding]) -> None:
    mail = security_alert_mail(await _addressees(tx, quote), quote, policy, findings)
    await mails.write(tx, quote.quote_id, [mail])


async def write_notice(tx: Tx, rules: BusinessRules, quote: Quote, event: PolicyEvent) -> None:
    """Freeze the notice of an event of a policy, and mail it to brokers and contacts."""
    applicant, option = await _gather(tx, rules, quote)
    notice = Enclosure(*await notices.freeze(tx, quote, event, applicant=applicant, option=option))
    policy = await policies.get(tx, quote.quote_id)
    await mails.write(
        tx, quote.quote_id, [notice_mail(await _addressees(tx, quote), quote, policy, event, notice)]
    )


async def _addressees(tx: Reader, quote: Quote) -> Addressees:
    stored = await submissions.get(tx, quote.submission_id)
    contacts = await policies.contacts_of(tx, quote.quote_id)
    return addressees_of(client_of(stored.body), msgspec.json.decode(contacts) if contacts else None)
