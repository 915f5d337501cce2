"""Mails: who gets which words, and when reminders and digests are due."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bindery.contract.documents import DocumentType as D
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.messages.access_mails import password_link_mail
from bindery.domain.messages.desk_mails import ending_mail, is_quote_reminder_due
from bindery.domain.messages.mail_choices import IN_WORDS, MailSwitch, digest_covers_until
from bindery.domain.messages.mails import (
    Addressees,
    Enclosure,
    addressees_of,
    is_to_insured,
    kind_in_words,
    name_of_kind,
    read_enclosure,
)
from bindery.domain.messages.notice_mails import is_lapse_reminder_due, lapsing_mails
from bindery.domain.messages.policy_mails import policy_mails
from support.mail_samples import ADDRESSEES, ANN, BINDER, OWED, QUOTE, TODAY, facts, of_one_sort
from support.policies import a_quote
from support.tables import each_row

CLIENT: dict[str, Any] = {"name": "Harborlight Bakery LLC", "broker_email": "broker@example.com"}
NEW_YORK = ZoneInfo("America/New_York")


BY_LINK = {"client_link", "application_signed"}
"""Mails to whoever reads or signs by a link, who need not be the insured's contact."""


def test_every_kind_has_a_greeting_a_sentence_and_each_recipient_once() -> None:
    for name, mail in of_one_sort().items():
        assert mail.message.greeting.endswith(","), name
        assert mail.message.sentences[0].endswith("."), name
        assert mail.recipients, name
        assert len({address.lower() for address in mail.recipients}) == len(mail.recipients), name


def test_mails_to_the_insured_have_their_own_words_no_link_and_no_switch() -> None:
    mails = of_one_sort().values()
    to_insured = [mail for mail in mails if is_to_insured(mail.kind)]

    assert {name_of_kind(mail.kind) for mail in to_insured} == {
        *("policy_issued", "policy_bound", "policy_ended", "policy_reinstated"),
        *("policy_not_renewed", "nonrenewal_withdrawn", "policy_changed"),
        *("renewal_offer", "renewal_reminder", "binder_lapsing"),
        *BY_LINK,
    }
    for mail in to_insured:
        if name_of_kind(mail.kind) in BY_LINK:
            assert mail.recipients == ("ann@harborlight.example",)
            assert mail.switch is None
            continue
        assert mail.message.greeting == "Dear Ann Example,"
        assert "our" in mail.message.sentences[0].split()[0]
        assert mail.message.link is None
        assert mail.switch is None
        assert mail.recipients[0] == "ann@harborlight.example"
        assert not set(mail.recipients) & set(ADDRESSEES.brokers)


def test_notices_cannot_be_switched_off_and_every_switch_has_a_mail() -> None:
    mails = of_one_sort().values()
    always = {
        name_of_kind(mail.kind) for mail in mails if mail.switch is None and not is_to_insured(mail.kind)
    }

    assert always == {
        *("policy_ended", "policy_reinstated", "security_letter", "webhook_disabled", "digest"),
        *("policy_not_renewed", "nonrenewal_withdrawn", "policy_changed"),
        *("password_link", "password_changed", "two_step_on", "two_step_off", "signing_code"),
        # To an underwriter.
        "late_answer",
        "invitation",
    }
    assert {mail.switch for mail in mails} == {None, *MailSwitch}
    assert set(IN_WORDS) == set(MailSwitch)


def test_a_renewal_goes_to_the_main_contact_and_not_to_those_named_for_notices() -> None:
    assert of_one_sort()["offered_1"].recipients == ("ann@harborlight.example",)


@each_row(
    ("name", "documents"),
    [
        ("issued", (D.POLICY, D.BILLING_STATEMENT, D.BINDER_TRIA)),
        ("issued_1", (D.POLICY, D.BILLING_STATEMENT, D.BINDER_TRIA)),
        ("bound", (D.BINDER, D.BILLING_STATEMENT, D.BINDER_TRIA)),
        ("offered", (D.QUOTE_LETTER,)),
        ("reminded_1", (D.QUOTE_LETTER,)),
        ("canceled_1", (D.CANCELLATION_NOTICE,)),
        ("not_renewed_1", (D.NONRENEWAL_NOTICE,)),
        ("changed_1", (D.ENDORSEMENT,)),
        ("mpl_letter", (D.SECURITY_LETTER,)),
    ],
)
def test_documents_go_along(name: str, documents: tuple[D, ...]) -> None:
    assert tuple(str(each).partition(" ")[0] for each in of_one_sort()[name].enclosures) == documents


def test_the_letter_of_a_professional_policy_speaks_of_no_scan() -> None:
    letter, of_cyber = of_one_sort()["mpl_letter"], of_one_sort()["issued_2"]

    assert letter.subject == "Your practice and your insurance: Harborlight Bakery LLC"
    assert "from outside" not in letter.message.sentences[0]
    assert letter.enclosures[0].name == "Your practice and your insurance"
    assert "from outside" in of_cyber.message.sentences[0]


@each_row(
    ("alerts", "main", "to"),
    [
        (("ciso@x.example", "CISO@x.example"), "ann@x.example", ("ciso@x.example",)),
        ((), "ann@x.example", ("ann@x.example",)),
        ((), None, ()),
    ],
)
def test_the_security_letter_goes_to_the_main_contact_if_nobody_is_named_for_it(
    alerts: tuple[str, ...], main: str | None, to: tuple[str, ...]
) -> None:
    addressees = Addressees(insured="X", broker="b@x.example", main_contact=main, security_alerts=alerts)

    letters = [mail for mail in policy_mails(facts(to=addressees)) if mail.kind == "security_letter"]

    assert [mail.recipients for mail in letters] == ([to] if to else [])


def test_the_contact_of_the_bind_replaces_the_one_on_file() -> None:
    client = CLIENT | {"insured_main_contact": {"email": "old@x.example", "first_name": "Old"}}
    contacts = {
        "insured_main_contact": {"email": "new@x.example", "first_name": " New\n", "last_name": "One"}
    }

    to = addressees_of(client, contacts)

    assert (to.main_contact, to.main_contact_name) == ("new@x.example", "New One")
    assert addressees_of(client, None).main_contact == "old@x.example"


@pytest.mark.parametrize("contact", [None, {}, {"email": "a,b@x.example"}, {"email": None}])
def test_an_insured_without_an_address_gets_nothing(contact: Any) -> None:
    to = addressees_of(CLIENT | {"insured_main_contact": contact}, None)

    assert to.insureds == ()
    assert [mail.kind for mail in policy_mails(facts(to=to))] == ["policy_issued"]


def test_names_fit_into_one_line_of_a_header() -> None:
    to = addressees_of(CLIENT | {"name": "Bad\r\nBcc: all@x.example\u202e LLC"}, None)

    assert to.insured == "Bad Bcc: all@x.example LLC"
    assert all("\n" not in mail.subject for mail in policy_mails(facts(to=to)))


def test_what_is_due_is_due_when_the_bill_says() -> None:
    assert ("Due", "December 31, 2026") in of_one_sort()["issued"].message.rows


def test_an_approval_says_what_was_changed_and_a_plain_one_nothing() -> None:
    changed, plain = of_one_sort()["approved"].message, of_one_sort()["approved_both"].message

    assert changed.heading == "Approved, on other terms"
    assert changed.listed is not None
    assert [text for text, _ in changed.listed.points] == [
        "Option 1: retention $5,000, $2,500 asked for",
        "Subject to: A copy of the backup plan",
    ]
    assert plain.sentences[1] == "Option 1: $1,000,000 limit, $5,000 retention, total $2,237.59."


@each_row(
    ("days", "sent", "due"),
    [
        (15, 0, False), (14, 0, True), (14, 1, False), (8, 1, False), (7, 1, True), (7, 2, False),
        (3, 2, False), (2, 2, True), (2, 3, False), (2, 0, True), (0, 3, False),
    ],
)  # fmt: skip
def test_a_binder_is_reminded_of_14_7_and_2_days_before_it_lapses(days: int, sent: int, due: bool) -> None:
    binder = replace(BINDER, fulfil_by=TODAY + timedelta(days=days), lapse_reminders=sent)

    assert is_lapse_reminder_due(binder, TODAY) is due
    assert not is_lapse_reminder_due(replace(binder, in_force=False), TODAY)
    assert not is_lapse_reminder_due(replace(binder, issued_on=TODAY), TODAY)


def test_after_an_outage_one_reminder_stands_for_the_others() -> None:
    binder = replace(BINDER, fulfil_by=TODAY + timedelta(days=1))

    mails = lapsing_mails(facts(policy=binder, contingencies=OWED), received=(), today=TODAY)

    assert [mail.kind for mail in mails] == ["binder_lapsing_3", "binder_lapsing_to_insured_3"]


@each_row(
    ("received", "today", "count"),
    [
        ((), TODAY, 2), (("1",), TODAY, 2), (("1", "2"), TODAY, 0),
        ((), date(2026, 11, 25), 2), ((), date(2026, 11, 26), 0),
    ],
)  # fmt: skip
def test_nobody_is_reminded_of_what_came_or_is_over(
    received: tuple[str, ...], today: date, count: int
) -> None:
    mails = lapsing_mails(facts(policy=BINDER, contingencies=OWED), received=received, today=today)

    assert len(mails) == count


@each_row(
    ("days", "sent", "due"),
    [(11, 0, False), (10, 0, True), (10, 1, False), (4, 1, False), (3, 1, True), (3, 2, False), (3, 0, True)],
)
def test_a_quote_is_reminded_of_10_and_3_days_before_it_ends(days: int, sent: int, due: bool) -> None:
    quote = a_quote(QuoteStatus.PUBLISHED, expires_on=TODAY + timedelta(days=days), reminders_sent=sent)

    assert is_quote_reminder_due(quote, TODAY) is due
    # A renewal has reminders of its own.
    assert not is_quote_reminder_due(replace(quote, status=QuoteStatus.OFFER_EMAIL), TODAY)


@each_row(
    ("days", "said"),
    [(3, "in 3 days"), (1, "tomorrow"), (0, "today"), (-1, None)],
)
def test_the_reminder_of_a_quote_says_when(days: int, said: str | None) -> None:
    quote = replace(QUOTE, expires_on=TODAY + timedelta(days=days))

    mail = ending_mail(facts(policy=None), [quote], today=TODAY)

    assert (mail is None) == (said is None)
    assert mail is None or f"ends {said}:" in mail.message.sentences[0]


@each_row(
    ("now", "until"),
    [
        ("2026-11-18T06:59:59-05:00", "2026-11-17T07:00:00-05:00"),
        ("2026-11-18T07:00:00-05:00", "2026-11-18T07:00:00-05:00"),
        ("2026-11-18T23:59:00-05:00", "2026-11-18T07:00:00-05:00"),
        # The clocks are set back between the two.
        ("2026-11-01T06:30:00-05:00", "2026-10-31T07:00:00-04:00"),
    ],
)
def test_the_digest_that_is_due_holds_what_happened_before_seven(now: str, until: str) -> None:
    moment = datetime.fromisoformat(now).astimezone(UTC)

    assert digest_covers_until(moment, NEW_YORK) == datetime.fromisoformat(until)


@each_row(
    ("kind", "words"),
    [
        ("policy_ended_7", "policy ended"),
        ("policy_ended_to_insured_7", "policy ended, to the insured"),
        ("renewal_offer", "renewal offer"),
        ("file_read_2169992696346461659790799603380681079", "file read"),
    ],
)
def test_kinds_are_named_without_their_step(kind: str, words: str) -> None:
    assert kind_in_words(kind) == words


@each_row("text", ["policy", "cancellation_notice 2"])
def test_an_enclosure_is_read_back(text: str) -> None:
    assert str(read_enclosure(text)) == text
    assert read_enclosure("policy") == Enclosure(D.POLICY)


@each_row(
    ("hour", "text"),
    [
        (5, "November 18, 2026, 12:07 a.m. EST"),
        (16, "November 18, 2026, 11:07 a.m. EST"),
        (17, "November 18, 2026, 12:07 p.m. EST"),
        (18, "November 18, 2026, 1:07 p.m. EST"),
    ],
)
def test_the_hour_until_which_a_link_works_is_that_of_the_business(hour: int, text: str) -> None:
    until = datetime(2026, 11, 18, hour, 7, tzinfo=UTC)

    mail = password_link_mail(ANN, expires_at=until, zone=NEW_YORK)

    assert mail.message.rows == (("Works until", text),)


def test_a_user_without_a_name_is_greeted() -> None:
    mail = password_link_mail(
        replace(ANN, name=""), expires_at=datetime(2026, 11, 18, tzinfo=UTC), zone=NEW_YORK
    )

    assert mail.message.greeting == "Hello,"
