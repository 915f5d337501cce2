"""What was submitted: the applicant and the answers, as they were sent."""

from dataclasses import dataclass
from typing import Any

import msgspec

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.industries import TECHNOLOGY, find_industry
from bindery.domain.applicant.risk import bare_id
from bindery.domain.documents.building import printed_answer
from bindery.domain.products import IndustryUse, record_of
from bindery.domain.questions.question import question_set
from bindery.domain.submission.value import Submission, from_snapshot
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.shown.words import Moment, Times, counted, money


@dataclass(frozen=True, slots=True)
class SubmittedAnswer:
    number: str
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Submitted:
    at: Moment
    facts: tuple[tuple[str, str], ...]
    answers: tuple[SubmittedAnswer, ...]

    @property
    def answers_counted(self) -> str:
        return counted(len(self.answers), "answer")


def submitted_with(record: QuoteRecord, times: Times) -> Submitted:
    """Show what the submission of an option said; a snapshot that cannot be read leaves out the answers."""
    client = record.client
    facts = (
        ("Named insured", str(client["name"])),
        ("Doing business as", str(client.get("dba") or "")),
        ("Address", _address(client.get("address") or {})),
        ("Revenue", money(client.get("revenue"))),
        ("Industry", _industry(client, record.quote.product)),
        ("Domains", ", ".join(map(str, client.get("domains") or ()))),
        ("Secondary broker", str(client.get("secondary_broker_email") or "")),
    )
    return Submitted(
        times.at(record.quote.created_at),
        tuple((name, value) for name, value in facts if value),
        _answers(record.facts),
    )


def _address(address: dict[str, Any]) -> str:
    street = ", ".join(str(address[part]) for part in ("street", "street2") if address.get(part))
    place = " ".join(str(address[part]) for part in ("state", "zip") if address.get(part))
    return ", ".join(part for part in (street, str(address.get("city") or ""), place) if part)


def _industry(client: dict[str, Any], product: InsuranceProduct) -> str:
    code = str(client.get("industry") or "")
    if not code or code == TECHNOLOGY:
        return "Technology" if record_of(product).industry is IndustryUse.NOT_ASKED else ""
    title = find_industry(code).title
    return f"{title} ({code})" if title else code


def _answers(facts: str) -> tuple[SubmittedAnswer, ...]:
    try:
        submission = from_snapshot(facts)
        questions = question_set(submission.product, submission.question_edition)
    except (msgspec.MsgspecError, LookupError, TypeError, ValueError):
        return ()
    return tuple(
        SubmittedAnswer(question.id, question.text, answer.replace("\n", ", "))
        for question in questions
        if (answer := _answer(submission, question.id))
    )


def _answer(submission: Submission, question_id: str) -> str:
    return printed_answer(submission.given.get(bare_id(question_id))) or ""
