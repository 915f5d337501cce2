"""One mail of every kind, about a company that is plainly invented."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import ContingencyStatus, InsuranceProduct, QuoteStatus
from bindery.contract.webhooks import DisabledBecause
from bindery.domain.access.users import Role, User
from bindery.domain.applicant.risk import OptionAsk, Terms
from bindery.domain.documents.notices import Canceled, Lapsed, Reinstated
from bindery.domain.messages.access_mails import (
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
from bindery.domain.messages.mails import Addressees, Enclosure, Mail, MailFacts
from bindery.domain.messages.notice_mails import lapsing_mails, notice_mails
from bindery.domain.messages.policy_mails import offer_mails, policy_mails
from bindery.domain.policy.contingencies import EXPIRING_POLICY, SIGNATURE, Contingency
from bindery.domain.quote.quote import JournalState
from bindery.domain.quote.repricing import ChangedTerms
from support.policies import a_policy, a_quote

TODAY = date(2026, 11, 18)
PLATFORM = "https://platform.example"
ZONE = ZoneInfo("America/New_York")
AFTERNOON = datetime(2026, 11, 18, 20, 42, tzinfo=UTC)
ANN = User(user_id=7, email="ann@agency.example", name="Ann Example", role=Role.BROKER, partner_id=1)
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
        "offered": offer_mails(facts(policy=None), a_policy(), binds_automatically=True),
        "reminded": offer_mails(facts(policy=None), a_policy(), binds_automatically=False, reminder=2),
        "lapsing": lapsing_mails(facts(policy=BINDER, contingencies=OWED), received={"2"}, today=on),
        "approved": (
            approved_mail(
                facts(policy=None),
                [Approved(QUOTE, ChangedTerms(aggregate_retention=5_000), "A copy of the backup plan")],
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
