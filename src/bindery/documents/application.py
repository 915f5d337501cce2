"""The application to sign: every question with its answer, and marks by which a signed copy is known."""

import io
from typing import Final

import segno

from bindery.base.money import in_dollars
from bindery.contract.documents import DocumentType
from bindery.documents import layout
from bindery.documents.plain_text import Whole
from bindery.documents.wording import read_wording
from bindery.domain.papers.facts import AnsweredQuestion, Contact, DocumentFacts
from bindery.domain.products import record_of

MARK_LINE: Final = 52


def paper(facts: DocumentFacts) -> layout.Paper:
    """Gather what the application shows."""
    form = facts.form_of(DocumentType.APPLICATION)
    wording = read_wording("application", facts.form_edition.edition)
    insured = facts.insured
    content = {
        "frame": layout.frame(
            facts.form_of(DocumentType.APPLICATION),
            facts.product,
            title=f"{form.title}: {insured.name}",
            footnote="Becomes part of the policy.",
            running=insured.name,
            reference=f"Quote {facts.quote_identifier}",
        ),
        "reference": [
            ["Quote", Whole(facts.quote_identifier)],
            ["Prepared on", layout.long_date(facts.submitted_on)],
        ],
        "title": form.title,
        "quote_identifier": Whole(facts.quote_identifier),
        "applicant": _applicant_rows(facts),
        "request": _request_rows(facts),
        "contacts": [_contact_row("Main contact", facts.contact)] if facts.contact else [],
        "alert_contacts": [_contact_row("Security alerts", contact) for contact in facts.alert_contacts],
        "questions": [_question(place, one) for place, one in enumerate(facts.questions, start=1)],
        "question_edition": facts.question_edition,
        "declarations": [wording[part] for part in ("claims_made", "reliance", "change", "no_duty")],
        "scan_consent": wording["scan_consent"] if insured.domains else None,
        "attestation": wording["attestation"],
        "fraud": [
            text
            for text in (wording["fraud"]["general"], wording["fraud"]["states"].get(insured.state))
            if text
        ],
        "state": facts.notice.state_name,
        "fingerprint": Whole(facts.fingerprint),
        "mark": Whole(facts.application_mark),
        "mark_lines": _lines(facts.application_mark),
        "qr": Whole(qr_picture(facts.application_mark)),
    }
    return layout.Paper(facts.issued_on, content)


def qr_picture(text: str) -> str:
    """Draw a machine-readable code as SVG; a quarter of it may be lost to folds and stamps."""
    out = io.BytesIO()
    # Trying all eight masks for the prettiest takes six times as long, and readers take any.
    segno.make(text, error="q", micro=False, boost_error=False, mask=2).save(
        out, kind="svg", xmldecl=False, svgns=True, border=4, dark="#12263f", light="#ffffff"
    )
    return out.getvalue().decode()


def _lines(text: str) -> list[str]:
    return [Whole(text[start : start + MARK_LINE]) for start in range(0, len(text), MARK_LINE)]


def _applicant_rows(facts: DocumentFacts) -> list[list[str]]:
    insured = facts.insured
    rows = [
        ["Applicant", insured.name],
        ["Doing business as", insured.trade_name or layout.NOTHING],
        ["Address", ", ".join(insured.address_lines)],
        ["Revenue, last 12 months", in_dollars(insured.revenue)],
        ["Industry (NAICS)", insured.industry or "not given"],
        ["Domains", ", ".join(insured.domains) or "none given"],
        ["Broker", facts.broker_email],
    ]
    return [[label, value] for label, value in rows]


def _request_rows(facts: DocumentFacts) -> list[list[str]]:
    period = facts.period
    retroactive = layout.retroactive(facts)
    return [
        ["Product", record_of(facts.product).title],
        ["Policy period", f"{layout.long_date(period.effective)} to {layout.long_date(period.expiration)}"],
        *([["Retroactive date", retroactive]] if retroactive else []),
        *layout.principal_terms(facts),
    ]


def _contact_row(label: str, contact: Contact) -> list[str]:
    return [label, ", ".join(part for part in (contact.name, contact.email, contact.phone) if part)]


def _question(place: int, question: AnsweredQuestion) -> layout.Content:
    return {
        "place": place,
        "id": Whole(question.id),
        "text": question.text,
        "answer": question.answer.split("\n") if question.answer is not None else None,
    }
