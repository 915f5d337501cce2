"""One mail of every kind, about a company that is plainly invented."""

import json
import uuid
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import ContingencyStatus, InsuranceProduct, QuoteStatus
from bindery.contract.webhooks import DisabledBecause
from bindery.domain.access.users import Role, User
from bindery.domain.applicant.risk import OptionAsk, Terms
from bindery.domain.documents.notices import Canceled, Changed, ChangedItem, Lapsed, NotRenewed, Reinstated
from bindery.domain.messages.access_mails import (
    invitation_mail,
    password_changed_mail,
    password_link_mail,
    two_step_off_mail,
    two_step_on_mail,
)
from bindery.domain.messages.desk_mails import (
    Approved,
    approved_mail,
    contingency_mail,
    declined_mail,
    digest_mail,
    disabled_mail,
    ending_mail,
    file_mail,
)
from bindery.domain.messages.mail_choices import DigestEntry
from bindery.domain.messages.mails import Addressees, Enclosure, Link, Mail, MailFacts
from bindery.domain.messages.notice_mails import lapsing_mails, notice_mails, restored_mails
from bindery.domain.messages.policy_mails import offer_mails, policy_mails
from bindery.domain.messages.question_mails import bind_sent_back_mail, late_answer_mail, question_mail
from bindery.domain.messages.signing_mails import (
    LinkAbout,
    about_of,
    answered_mail,
    code_mail,
    link_mail,
    sent_back_mail,
    signed_mails,
)
from bindery.domain.policy.contingencies import EXPIRING_POLICY, SIGNATURE, Contingency
from bindery.domain.quote.broker_question import BrokerQuestion
from bindery.domain.quote.quote import JournalState
from bindery.domain.quote.repricing import ChangedTerms
from bindery.domain.rating.surcharges import Surcharge
from bindery.domain.signing.client_link import ClientLink, LinkPurpose, LinkStatus
from bindery.domain.signing.signing import CONSENT, Signature, hash_of_text
from support.policies import a_policy, a_quote

TODAY = date(2026, 11, 18)
PLATFORM = "https://platform.example"
ZONE = ZoneInfo("America/New_York")
AFTERNOON = datetime(2026, 11, 18, 20, 42, tzinfo=UTC)
ANN = User(user_id=7, email="ann@agency.example", name="Ann Example", role=Role.BROKER, partner_id=1)
QUESTION = BrokerQuestion(
    question_id=uuid.UUID(int=18),
    submission_id=uuid.UUID(int=19),
    quote_id=uuid.UUID(int=20),
    partner_id=1,
    text="Is the remote access of the branch office protected by MFA too?",
    about=("remote_access_without_mfa",),
    asked_at=AFTERNOON,
    asked_by="una@example.com",
    answer="Yes, since March.",
)
ADDRESSEES = Addressees(
    insured="Harborlight Bakery LLC",
    broker="broker@example.com",
    secondary_broker="second@example.com",
    main_contact="ann@harborlight.example",
    main_contact_name="Ann Example",
    policy_notices=("cfo@harborlight.example", "Ann@Harborlight.example"),
)
SURCHARGES = [
    {"title": "Surplus Lines Tax", "percentage": "3.00", "price": "64.59"},
    {"title": "Stamping Fee", "percentage": "0.00", "price": "20.00"},
]
QUOTE = a_quote(
    QuoteStatus.PUBLISHED,
    ask=OptionAsk(1_000_000, 2_500),
    terms=Terms(1_000_000, 1_000_000, 5_000, None),
    premium=2_153,
    expires_on=date(2026, 11, 28),
    assessment=json.dumps({"corrections": [], "reasons": [], "surcharges": SURCHARGES}),
    journal=JournalState(entries=9),
)
OWED = (
    Contingency("1", SIGNATURE.kind, SIGNATURE.type, SIGNATURE.text),
    Contingency("2", EXPIRING_POLICY.kind, EXPIRING_POLICY.type, EXPIRING_POLICY.text),
)
BINDER = a_policy(issued_on=None, fulfil_by=date(2026, 11, 25))


SIGNATURE_MADE = Signature(
    link_id=uuid.UUID(int=7),
    quote_id=QUOTE.quote_id,
    document_id=uuid.UUID(int=7),
    name="Ann Example",
    title="President",
    email="ann@harborlight.example",
    address="198.51.100.7",
    agent="Mozilla/5.0",
    signed_at=AFTERNOON,
    version=1,
    consent=CONSENT,
    consent_sha256=hash_of_text(CONSENT),
    shown_sha256="9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    signed_sha256="60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752",
)


def a_link(**changes: object) -> ClientLink:
    given = ClientLink(
        link_id=uuid.UUID(int=7),
        partner_id=1,
        purpose=LinkPurpose.SIGNATURE,
        status=LinkStatus.SENT,
        quote_id=QUOTE.quote_id,
        option_ids=(),
        draft_id=None,
        email="ann@harborlight.example",
        name="Ann Example",
        message="Please sign by Friday.",
        asked=(),
        answers=None,
        created_at=AFTERNOON,
        created_by="broker@example.com",
        broker_email="broker@example.com",
        expires_at=AFTERNOON + timedelta(days=10),
        openings=0,
        opened_at=None,
        chosen_at=None,
        settled_at=None,
        said=None,
    )
    return replace(given, **changes)  # type: ignore[arg-type] # whatever the test names


def facts(**changes: object) -> MailFacts:
    given = MailFacts(
        to=ADDRESSEES,
        quote=QUOTE,
        term=a_policy().term,
        platform=PLATFORM,
        policy=a_policy(),
        broker_name="Bob Broker",
    )
    return replace(given, **changes)  # type: ignore[arg-type] # whatever the test names


def of_one_sort() -> dict[str, Mail]:
    """Make a mail of every kind."""
    closed = replace(OWED[1], status=ContingencyStatus.CLOSED)
    second = replace(QUOTE, option_number=1, terms=Terms(2_000_000, 2_000_000, 5_000, None))
    mpl = facts(quote=replace(QUOTE, product=InsuranceProduct.MPL))
    on = TODAY
    made = {
        "issued": policy_mails(facts()),
        "bound": policy_mails(facts(policy=BINDER, contingencies=OWED)),
        "mpl_letter": policy_mails(mpl)[2:],
        "canceled": notice_mails(
            facts(),
            Canceled(on=on, effective=date(2027, 3, 1), reason="Business sold", returned_premium=1_615),
            Enclosure(DocumentType.CANCELLATION_NOTICE, 2),
        ),
        "lapsed": notice_mails(
            facts(policy=BINDER, contingencies=OWED),
            Lapsed(on=on, fulfil_by=date(2026, 11, 25)),
            Enclosure(DocumentType.LAPSE_NOTICE, 1),
        ),
        "reinstated": notice_mails(
            facts(),
            Reinstated(on=on, reason="Not sold", canceled_from=date(2027, 3, 1), returned_premium=1_615),
            Enclosure(DocumentType.REINSTATEMENT_NOTICE, 1),
        ),
        "not_renewed": notice_mails(
            facts(),
            NotRenewed(on=on, expiration=date(2027, 12, 1), reason="Loss history", days=60),
            Enclosure(DocumentType.NONRENEWAL_NOTICE, 1),
        ),
        "changed": notice_mails(
            facts(),
            Changed(
                on=on,
                number=1,
                effective=date(2027, 3, 1),
                reason="A customer asks for it.",
                items=(ChangedItem(label="Aggregate limit", before="$1,000,000", after="$2,000,000"),),
                premium_difference=352,
                charges=(Surcharge("Surplus lines tax", Decimal(3), Decimal("10.56")),),
                premium_before=1_070,
                premium_after=1_670,
                days_left=214,
                days=365,
            ),
            Enclosure(DocumentType.ENDORSEMENT, 1),
        ),
        "restored": restored_mails(facts(), reason="The controls are in place."),
        "offered": offer_mails(facts(policy=None), a_policy(), binds_automatically=True),
        "reminded": offer_mails(facts(policy=None), a_policy(), binds_automatically=False, reminder=2),
        "lapsing": lapsing_mails(facts(policy=BINDER, contingencies=OWED), received={"2"}, today=on),
        "approved": (
            approved_mail(
                facts(policy=None),
                [Approved(QUOTE, ChangedTerms(aggregate_retention=5_000), ("A copy of the backup plan",))],
                reason="Retention raised for the claims of last year.",
            ),
        ),
        "approved_both": (
            approved_mail(
                facts(policy=None),
                [Approved(QUOTE, ChangedTerms()), Approved(second, ChangedTerms(premium=2_153))],
                reason="",
            ),
        ),
        "declined": (declined_mail(facts(policy=None), [QUOTE], reason="Claims history.", was_bind=False),),
        "question": (question_mail(facts(policy=None), QUESTION),),
        "sent_back_bind": (bind_sent_back_mail(facts(policy=None), reason="No expiring policy yet."),),
        "late_answer": (late_answer_mail(facts(policy=None), QUESTION),),
        "contingency": (
            contingency_mail(facts(contingencies=(OWED[0], closed)), [QUOTE], closed=[closed.text]),
        ),
        "contingency_added": (contingency_mail(facts(contingencies=OWED), [QUOTE], added=[OWED[1].text]),),
        "file": (
            file_mail(
                facts(),
                name="signed.pdf",
                seen="signed.pdf matches the application that was issued.",
                contingency=SIGNATURE.text,
                number=7,
            ),
        ),
        "ending": (ending_mail(facts(policy=None), [QUOTE, second], today=on),),
        "digest": (
            digest_mail(
                "broker@example.com",
                "Bob Broker",
                [
                    DigestEntry(
                        datetime(2026, 11, 17, 15, tzinfo=UTC),
                        "An underwriter approved option 1 for Harborlight Bakery LLC.",
                        f"{PLATFORM}/company/123456789",
                    ),
                    DigestEntry(
                        datetime(2026, 11, 17, 16, tzinfo=UTC),
                        "An underwriter declined option 2 for Quiet Consulting LLC.",
                        f"{PLATFORM}/company/987654321",
                    ),
                ],
                account=f"{PLATFORM}/account",
            ),
        ),
        "password_link": (password_link_mail(ANN, expires_at=AFTERNOON, zone=ZONE),),
        "invitation": (invitation_mail(ANN, by="ollie@example.com", expires_at=AFTERNOON, zone=ZONE),),
        "password_changed": (
            password_changed_mail(
                ANN, at=AFTERNOON, zone=ZONE, by_operator=False, sign_in=f"{PLATFORM}/sign-in"
            ),
        ),
        "password_set": (
            password_changed_mail(
                ANN, at=AFTERNOON, zone=ZONE, by_operator=True, sign_in=f"{PLATFORM}/sign-in"
            ),
        ),
        "two_step_on": (two_step_on_mail(ANN, at=AFTERNOON, zone=ZONE, account=f"{PLATFORM}/account"),),
        "two_step_off": (
            two_step_off_mail(ANN, at=AFTERNOON, zone=ZONE, by_operator=True, account=f"{PLATFORM}/account"),
        ),
        "client_link": (link_mail(a_link(), about_of(facts(policy=None)), zone=ZONE),),
        "client_proposal": (
            link_mail(a_link(purpose=LinkPurpose.PROPOSAL), about_of(facts(policy=None)), zone=ZONE),
        ),
        "client_questions": (
            link_mail(
                a_link(purpose=LinkPurpose.ANSWERS, name=None, message=""),
                LinkAbout("Harborlight Bakery LLC", "Bob Broker (broker@example.com)"),
                zone=ZONE,
            ),
        ),
        "signing_code": (code_mail(a_link(), about_of(facts(policy=None)), expires_at=AFTERNOON, zone=ZONE),),
        "application_signed": signed_mails(
            facts(policy=None), a_link(), SIGNATURE_MADE, is_issued=False, zone=ZONE
        ),
        "binder_signed": signed_mails(facts(), a_link(), SIGNATURE_MADE, is_issued=True, zone=ZONE),
        "sent_back": (sent_back_mail(facts(policy=None), a_link(), "We have 14 employees,\nnot 40."),),
        "client_answered": (
            answered_mail(
                a_link(purpose=LinkPurpose.ANSWERS),
                about_of(facts(policy=None)),
                to=ADDRESSEES.brokers,
                greeting="Dear Bob Broker,",
                open_at=Link("Open the company", f"{PLATFORM}/company/123456789"),
            ),
        ),
        "disabled": (
            disabled_mail(
                "dev@partner.example",
                endpoint="https://partner.example/hooks",
                because=DisabledBecause.GONE,
                docs_url="https://api.example/docs#webhooks",
            ),
        ),
    }
    return {
        name if place == 0 else f"{name}_{place}": mail
        for name, mails in made.items()
        for place, mail in enumerate(mails)
        if mail is not None
    }
