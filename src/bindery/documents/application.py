"""The application to sign: every question with its answer, and marks by which a signed copy is known."""

import io
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime
from typing import Final

import segno

from bindery.base.numbers import in_dollars
from bindery.contract.documents import DocumentType
from bindery.contract.questions import QuestionType
from bindery.documents import layout
from bindery.documents.plain_text import Whole
from bindery.documents.wording import read_wording, typographic
from bindery.domain.business_rules import long_date
from bindery.domain.documents.application_marks import FIRST_PAGE, SIGNATURE_PAGE, page_mark
from bindery.domain.documents.facts import AnsweredQuestion, DocumentFacts
from bindery.domain.documents.signing_record import SigningRecord
from bindery.domain.products import record_of
from bindery.domain.questions.question import QuestionText, question_set

NUMBERS_OF_DOLLARS: Final = frozenset({"Q2418"})
NONE_OF_THEM: Final = "None of the above"
SHORT: Final = 90
MOST_BESIDE: Final = 8
"""Up to this many letters or options, an answer stands next to its question."""
ROOMY_PAGES: Final = 6
"""More than an application with short answers ever has."""
LINE, LINES_OF_A_PAGE = 60, 35
"""Letters of a line and lines of a page, both far below what fits."""
LONGEST_AGENT: Final = 250
PRODUCER_NAMED_IN: Final = frozenset({"FL"})
"""States whose applications name the producer with a license number."""


@dataclass(frozen=True, slots=True)
class PrintedAnswer:
    """One question of an application; `denied` are the options that the answer says no to."""

    id: str
    text: str
    lines: tuple[str, ...]
    denied: tuple[str, ...]
    is_long: bool


def shown_answers(facts: DocumentFacts) -> list[PrintedAnswer]:
    asked = question_set(facts.product, facts.question_edition)
    return [
        _shown(question, question.answer, asked.find(question.id))
        for question in facts.questions
        if question.answer is not None
    ]


def unasked(facts: DocumentFacts) -> str | None:
    return ", ".join(question.id for question in facts.questions if question.answer is None) or None


def _shown(question: AnsweredQuestion, answer: str, asked: QuestionText | None) -> PrintedAnswer:
    is_text = asked is None or asked.type is QuestionType.FREE_TEXT
    lines = tuple(_formatted(answer, asked).split("\n"))
    many = not is_text and len(lines) > MOST_BESIDE
    return PrintedAnswer(
        id=question.id,
        text=typographic(question.text),
        lines=("; ".join(lines),) if many else lines,
        denied=_denied(lines, asked),
        is_long=many or (is_text and (len(answer) > SHORT or len(lines) > 1)),
    )


def _formatted(answer: str, asked: QuestionText | None) -> str:
    """Write amounts and dates as the rest of the document does; they were frozen as they are stored."""
    if asked is None:
        return answer
    if asked.type is QuestionType.DATE:
        return long_date(date.fromisoformat(answer))
    if asked.type is QuestionType.AMOUNT:
        return answer.removesuffix(".00")
    return f"${answer}" if asked.id in NUMBERS_OF_DOLLARS else answer


def _denied(chosen: tuple[str, ...], asked: QuestionText | None) -> tuple[str, ...]:
    """Return what was not chosen from a list that has a `None of the above`: that much is attested too."""
    if asked is None or NONE_OF_THEM not in asked.exclusive_options:
        return ()
    return tuple(
        typographic(option.text)
        for option in asked.options
        if not option.exclusive and option.text not in chosen
    )


def application_input(facts: DocumentFacts) -> layout.DocumentInput:
    form = facts.form_of(DocumentType.APPLICATION)
    content = {
        **layout.basics(
            facts,
            DocumentType.APPLICATION,
            title=form.title,
            footnote="Becomes part of the policy.",
            reference=f"Quote {facts.quote_identifier}",
        ),
        "reference": [
            ["Quote", Whole(facts.quote_identifier)],
            ["Prepared on", long_date(facts.submitted_on)],
        ],
        "title": form.title,
        "signed_already": _signed_already(facts),
        "signed": _signed(facts.signing) if facts.signing else None,
        "quote_identifier": Whole(facts.quote_identifier),
        "statements": statements(facts),
        "notice": layout.notice_content(facts) if facts.notice.at_application else None,
        "acknowledgment": acknowledgment(facts),
        "producer": layout.broker_in_words(facts) if facts.insured.state in PRODUCER_NAMED_IN else None,
        "fingerprint": Whole(facts.fingerprint),
        "mark": Whole(facts.application_mark),
        "codes": {
            place: Whole(qr_picture(f"{facts.application_mark}:{place}"))
            for place in (FIRST_PAGE, SIGNATURE_PAGE)
        },
        "page_codes": [
            Whole(page_code_picture(page_mark(facts.quote_identifier, facts.fingerprint, number)))
            for number in range(1, _most_pages(facts) + 1)
        ],
    }
    return layout.DocumentInput(facts.signing.signed_on if facts.signing else facts.issued_on, content)


def acknowledgment(facts: DocumentFacts) -> str | None:
    if not facts.notice.acknowledged:
        return None
    text: str = read_wording("application", facts.form_edition.edition)["acknowledgment"]
    return text.format(state=facts.notice.state_name)


def statements(facts: DocumentFacts) -> layout.Content:
    wording = read_wording("application", facts.form_edition.edition)
    domains = facts.insured.domains
    return {
        "applicant": _applicant_rows(facts),
        "people": [*_broker_row(facts), *_contact_rows(facts)],
        "domains": layout.shown_domains(domains),
        "request": _request_rows(facts),
        "questions": [asdict(answer) for answer in shown_answers(facts)],
        "unasked": unasked(facts),
        "question_edition": facts.question_edition,
        "declarations": [wording[part] for part in ("claims_made", "reliance", "change", "no_duty")],
        "scan_consent": wording["scan_consent"] if domains and record_of(facts.product).is_scanned else None,
        "attestation": wording["attestation"],
        "fraud_form": layout.number_of(facts, "FRD"),
        "fraud": [
            text
            for text in (wording["fraud"]["general"], wording["fraud"]["states"].get(facts.insured.state))
            if text
        ],
    }


def qr_picture(text: str) -> str:
    """Draw a machine-readable code as SVG; a quarter of it may be lost to folds and stamps."""
    out = io.BytesIO()
    # Trying all eight masks for the prettiest takes six times as long, and readers take any.
    segno.make(text, error="q", micro=False, boost_error=False, mask=2).save(
        out, kind="svg", xmldecl=False, svgns=True, border=4, dark="#12263f", light="#ffffff"
    )
    return out.getvalue().decode()


def page_code_picture(text: str) -> str:
    """Draw the code of a page for its margin, which is narrow and blank around it."""
    out = io.BytesIO()
    segno.make(text, error="m", mode="alphanumeric", micro=False, boost_error=False, mask=2).save(
        out, kind="svg", xmldecl=False, svgns=True, border=0, dark="#12263f"
    )
    return out.getvalue().decode()


def _most_pages(facts: DocumentFacts) -> int:
    """Return how many pages the application can have at most: the codes are drawn before it is set."""
    answers = sum(len(answer.lines) + len("".join(answer.lines)) // LINE for answer in shown_answers(facts))
    return ROOMY_PAGES + (answers + len(facts.insured.domains)) // LINES_OF_A_PAGE


def _signed_already(facts: DocumentFacts) -> layout.Content | None:
    signed = facts.signed_application
    if signed is None:
        return None
    return {
        "quote_identifier": Whole(signed.quote_identifier),
        "fingerprint": Whole(signed.fingerprint),
        "relied_on": long_date(signed.relied_on),
    }


def _signed(signing: SigningRecord) -> layout.Content:
    """Return what stands on the lines to sign, and on the certificate page."""
    return {
        "name": " ".join(signing.name.split()),
        "title": " ".join(signing.title.split()),
        "date": long_date(signing.signed_on),
        "signer": [
            ["Name", signing.name],
            ["Title", signing.title],
            ["Email, confirmed by a code", signing.email],
            ["Network address", signing.address],
            ["Browser", signing.agent[:LONGEST_AGENT] or "not named"],
        ],
        "request": [["Request", Whole(signing.request_id)], ["Sent by", signing.sent_by]],
        "times": [
            ["Link sent", _moment(signing.sent_at)],
            ["First opened", _moment(signing.opened_at)],
            ["Code confirmed", _moment(signing.confirmed_at)],
            ["Signed", _moment(signing.signed_at)],
        ],
        "hashes": [
            ["Application as shown", Whole(signing.shown_sha256)],
            ["Text of the consent", Whole(signing.consent_sha256)],
        ],
        "consent": [*signing.stated.split("\n"), *signing.consent.split("\n")],
    }


def _moment(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _applicant_rows(facts: DocumentFacts) -> list[list[str]]:
    insured = facts.insured
    rows = [
        ["Applicant", insured.name],
        ["Doing business as", insured.trade_name or layout.NOTHING],
        ["Address", "\n".join(insured.address_lines)],
        ["Revenue, last 12 months", in_dollars(insured.revenue)],
        ["Industry (NAICS)", insured.industry or "not given"],
        *([] if insured.domains else [["Domains", "none given"]]),
    ]
    return [[label, value] for label, value in rows]


def _request_rows(facts: DocumentFacts) -> list[list[str]]:
    period = facts.period
    retroactive = layout.retroactive(facts)
    return [
        ["Product", record_of(facts.product).title],
        ["Policy period", f"{long_date(period.effective)} to {long_date(period.expiration)}"],
        *([["Retroactive date", retroactive]] if retroactive else []),
        *layout.terms_of(facts.terms),
    ]


def _broker_row(facts: DocumentFacts) -> list[list[str | layout.Content]]:
    known = (facts.broker_name, facts.broker_firm)
    return [["Broker", _linked(known, facts.broker_email, ())]]


def _contact_rows(facts: DocumentFacts) -> list[list[str | layout.Content]]:
    named = [("Main contact", facts.contact)] if facts.contact else []
    named += [("Security alerts", contact) for contact in facts.alert_contacts]
    named += [("Policy notices", contact) for contact in facts.notice_contacts]
    return [[label, _linked((contact.name,), contact.email, (contact.phone,))] for label, contact in named]


def _linked(before: Iterable[str | None], email: str, after: Iterable[str | None]) -> layout.Content:
    """Part what is said of a person, so that the address can be a link."""
    return {
        "before": "".join(f"{part}, " for part in before if part),
        "email": email,
        "after": "".join(f", {part}" for part in after if part),
    }
