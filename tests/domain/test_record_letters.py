"""Broker-of-record letters: what they lift, and how they are said."""

import uuid
from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from bindery.domain.messages.letter_mails import letter_mail
from bindery.domain.quote.clearance import Conflict, Key, key_in_words
from bindery.domain.quote.record_letter import (
    LONGEST_REASON,
    LetterDecision,
    RecordLetter,
    lifted,
    problems_of_decision,
)
from bindery.web.draft.letter_shown import ShownBlock, shown_block
from bindery.web.shown.words import Times
from support.tables import each_row

NOW = datetime(2026, 11, 18, 17, tzinfo=UTC)
TIMES = Times(ZoneInfo("America/New_York"), NOW)
ONE: Key = ("domain", "one.example")
TWO: Key = ("domain", "two.example")
HOME: Key = ("address", "1 main street")
LETTER = RecordLetter(
    letter_id=uuid.UUID(int=1),
    partner_id=1,
    draft_id=uuid.UUID(int=2),
    insured="Marble Lighthouse",
    key_kinds=("domain", "address"),
    key_values=("one.example", "1 main street"),
    name="letter.pdf",
    content_type="application/pdf",
    size=7,
    sha256="00",
    uploaded_at=NOW,
    uploaded_by="pat@example.com",
)
BOTH = frozenset({"domain", "address"})
SHARED = Conflict(BOTH)


@each_row(
    ("keys", "accepted", "left"),
    [
        ([ONE, HOME], (), BOTH),
        ([ONE, HOME], LETTER.keys, frozenset()),
        ([ONE, TWO, HOME], LETTER.keys, frozenset({"domain"})),
        ([HOME], (HOME,), frozenset({"domain"})),
    ],
)
def test_a_letter_lifts_what_it_names(
    keys: list[Key], accepted: tuple[Key, ...], left: frozenset[str]
) -> None:
    assert lifted(Conflict(BOTH), keys, accepted) == Conflict(left)


def test_a_key_is_shown_as_people_write_it() -> None:
    assert key_in_words(ONE) == "one.example"
    assert key_in_words(("address", "1200 market st|philadelphia|pa|19107")) == (
        "1200 Market St, Philadelphia, PA, 19107"
    )


@each_row(
    ("decision", "reason", "codes"),
    [
        (LetterDecision.ACCEPTED, "", []),
        (LetterDecision.REJECTED, " ", ["required"]),
        (LetterDecision.REJECTED, "Not signed.", []),
        (LetterDecision.ACCEPTED, "x" * (LONGEST_REASON + 1), ["too_long"]),
    ],
)
def test_a_rejection_needs_a_text(decision: LetterDecision, reason: str, codes: list[str]) -> None:
    assert [problem.code for problem in problems_of_decision(decision, reason)] == codes


def test_a_block_says_where_its_letter_stands() -> None:
    def said(letter: RecordLetter | None, conflict: Conflict = SHARED) -> ShownBlock:
        return shown_block(conflict, letter, TIMES)

    rejected = replace(LETTER, decision=LetterDecision.REJECTED, reason="It is not signed.")
    accepted = replace(LETTER, decision=LetterDecision.ACCEPTED)

    assert said(None).text.startswith("Another organization was submitted with the same domain and address")
    assert said(None).does == "Upload the letter"
    assert said(None, Conflict(BOTH, is_own=True)).does == ""
    assert "one of your own" in said(None, Conflict(BOTH, is_own=True)).text
    assert said(LETTER).text.endswith("Your letter of Nov 18, letter.pdf, is with an underwriter.")
    assert said(rejected).text.endswith("The letter of Nov 18 was not accepted: It is not signed.")
    assert said(accepted).text.endswith("was accepted for other domains, or another address.")


def test_the_sender_is_told_what_was_decided() -> None:
    yes = letter_mail(replace(LETTER, decision=LetterDecision.ACCEPTED), platform_url="https://x")
    no = letter_mail(
        replace(LETTER, decision=LetterDecision.REJECTED, reason="Not\nsigned.", insured=""),
        platform_url="https://x",
    )

    assert (yes.recipients, yes.subject) == (
        ("pat@example.com",),
        "Marble Lighthouse: the broker-of-record letter is accepted",
    )
    assert yes.message.next_step == "The quote can be sent."
    assert no.subject == "your client: the broker-of-record letter is not accepted"
    assert no.message.rows == (("The underwriter writes", "Not signed."),)
