"""Gathering the facts that documents show, and freezing them."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bindery.actions.documents.write_mails import write_notice_mail, write_offer_mail
from bindery.contract.documents import DocumentType, PacketType
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.business_rules import BusinessRules
from bindery.domain.documents.building import applicant_facts, option_facts, policy_forms
from bindery.domain.documents.comparison import ComparisonFacts, comparison_facts
from bindery.domain.documents.editions import RENEWED_IN, is_outdated, next_edition
from bindery.domain.documents.endorsing import with_forms
from bindery.domain.documents.facts import ApplicantFacts, Binding, DocumentFacts, OptionFacts, join_facts
from bindery.domain.documents.notices import Changed, PolicyEvent, as_noticed
from bindery.domain.messages.mails import Enclosure
from bindery.domain.policy.evidence import Evidence
from bindery.domain.policy.policy import Policy, RenewalRuling
from bindery.domain.policy.renewal import reminders_due
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import from_record
from bindery.domain.submission.value import client_of
from bindery.storage.database import Reader, Tx
from bindery.storage.documents import editions, packets
from bindery.storage.documents.editions import NewEdition
from bindery.storage.documents.packets import Background, FrozenPacket
from bindery.storage.policy import capacity, notices, policies, rescans
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

    A renewal is recorded with the policy that it renews, which nobody holds any more, and its broker gets a
    mail.
    """
    await _freeze_offers(tx, rules, opened)
    for submission_id, policy in expiring.items():
        _, options = opened.get(submission_id, (None, ()))
        for quote in options:
            if policy.renewal_ruling is RenewalRuling.HELD:
                await policies.rule_on_renewal(tx, policy.quote_id, None, None)
            await policies.record_renewal(
                tx,
                policy.quote_id,
                renewal_quote_id=quote.quote_id,
                # An offer that comes late stands for the reminders that should have gone out before it.
                reminders_sent=reminders_due(policy.term.expiration, tx.today),
            )
            await write_offer_mail(tx, rules, quote, replace(policy, renewal_ruling=None))


async def _freeze_offers(
    tx: Tx, rules: BusinessRules, opened: Mapping[uuid.UUID, tuple[StoredSubmission, Sequence[Quote]]]
) -> None:
    quotes_opened = [quote for _, options in opened.values() for quote in options]
    if not quotes_opened:
        return
    owed = await contingencies.of_quotes(tx, [quote.quote_id for quote in quotes_opened])
    known = await packets.of_submissions(tx, list(opened))
    insured_by = await capacity.insurers_of(tx, [quote.quote_id for quote in quotes_opened])
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
                    insurers=insured_by.get(quote.quote_id),
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


async def renew_documents(tx: Tx, rules: BusinessRules, quote_ids: Sequence[uuid.UUID]) -> None:
    """Freeze a new version of each document of these quotes that says what no longer holds.

    Whatever a transaction changed is one version: call it once, when all of it is done. Where nothing has
    changed, no document gets another.
    """
    new = []
    for quote_id in quote_ids:
        quote = await quotes.get(tx, quote_id)
        if quote.status not in RENEWED_IN:
            continue
        packet, kinds = RENEWED_IN[quote.status]
        before = await editions.newest(tx, quote_id, packet, kinds)
        if not before:
            continue
        _, now = await _gather(tx, rules, quote)
        new += [
            NewEdition(
                submission_id=quote.submission_id,
                quote_id=quote_id,
                packet=packet,
                facts=next_edition(edition, now),
                documents=(kind,),
            )
            for kind, edition in before.items()
            if is_outdated(kind, edition.facts, now)
        ]
    await editions.freeze(tx, new)


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
            canceled_from=policy.ended_on if quote.status is QuoteStatus.POLICY_CANCELED else None,
            returned_premium=policy.returned_premium or 0,
        )
        if binding.canceled_from is not None:
            notice = await notices.find_event(tx, quote.quote_id, DocumentType.CANCELLATION_NOTICE)
            binding = as_noticed(binding, notice)
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
        is_signature_on_file=await contingencies.signed_application(tx, quote.quote_id) is not Evidence.NONE,
        alarms=await rescans.alarms_of(tx, stored.renews) if stored.renews else (),
        insurers=(await capacity.insurers_of(tx, [quote.quote_id])).get(quote.quote_id),
    )
    if quote.assessment is not None and from_record(quote.assessment).changes:
        # The application stays the one that was signed, by whatever name the insured goes now.
        issued = await packets.find(tx, quote.quote_id, PacketType.POLICY)
        signed = option.fingerprint if issued is None else issued.facts.fingerprint
        option = replace(
            option,
            insured_now=applicant.insured,
            additional_insured=await policies.additional_insured(tx, quote.quote_id),
            fingerprint=signed,
        )
    return applicant, option


async def find_policy_facts(tx: Reader, quote_id: uuid.UUID) -> DocumentFacts | None:
    """Return the facts of a policy as its last change left them, or as it was issued."""
    changes = await notices.newest_version(tx, quote_id, DocumentType.ENDORSEMENT)
    if changes:
        return await notices.find(tx, quote_id, DocumentType.ENDORSEMENT, changes)
    found = await packets.find(tx, quote_id, PacketType.POLICY)
    return found.facts if found else None


async def find_comparison(
    tx: Reader, rules: BusinessRules, quote_id: uuid.UUID, version: int
) -> ComparisonFacts:
    """Put the options of a submission side by side, as they were frozen for a version of the comparison."""
    found = await packets.offered_options(tx, quote_id, version)
    applicant = found.applicant
    compared = {}
    for offered in found.options:
        option = offered.facts
        if option is None or applicant is None:
            applicant, option = await _gather(tx, rules, await quotes.get(tx, offered.quote_id))
        # People count options from one.
        compared[offered.option_number + 1] = option
    assert applicant is not None, "an option of it was offered"
    replaces = rules.day_of(found.replaces) if found.replaces else None
    return comparison_facts(
        applicant, compared, asked_for=found.asked_for, version=version, replaces=replaces
    )


async def _expiring(tx: Reader, stored: StoredSubmission) -> DocumentFacts | None:
    if stored.renews is None:
        return None
    return await find_policy_facts(tx, stored.renews)


async def find_facts(
    tx: Reader, rules: BusinessRules, quote_id: uuid.UUID, packet: PacketType
) -> DocumentFacts:
    """Return the frozen facts of a packet; today's where none were frozen, as while a person decides."""
    found = await packets.find(tx, quote_id, packet)
    if found is not None:
        return found.facts
    return await gather_facts(tx, rules, await quotes.get(tx, quote_id))


async def write_notice(
    tx: Tx, rules: BusinessRules, quote: Quote, event: PolicyEvent, *, before: Quote | None = None
) -> None:
    """Freeze the notice of an event of a policy, and mail it to the brokers and the insured.

    `before` is the quote as it was before a change, which may attach forms to its policy.
    """
    applicant, option = await _gather(tx, rules, quote)
    if before is not None and isinstance(event, Changed):
        event = with_forms(event, policy_forms(applicant, before, option.period), option.forms.policy)
    notice = Enclosure(*await notices.freeze(tx, quote, event, applicant=applicant, option=option))
    await write_notice_mail(tx, rules, quote, event, notice)
