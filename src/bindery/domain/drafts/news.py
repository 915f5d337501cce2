"""Which questions of a draft are new to those who answered the others, and why."""

from bindery.base.numbers import in_dollars
from bindery.domain.applicant.risk import FULL_PRIOR_ACTS, Term
from bindery.domain.drafts.draft_applicant import DraftApplicant
from bindery.domain.questions.conditions import QuestionContext
from bindery.domain.questions.layout import lay_out


def facts_seen(applicant: DraftApplicant) -> str:
    facts = applicant.circumstances
    return f"{facts.revenue} {int(facts.term.reaches_back)}"


def new_questions(applicant: DraftApplicant, seen: str) -> dict[str, str]:
    """Return the bare ids of questions that other facts brought since the form was seen, and what did."""
    revenue, _, reached_back = seen.partition(" ")
    if not seen or seen == facts_seen(applicant) or not revenue.isdecimal():
        return {}
    now = applicant.circumstances
    by_revenue = _asked(applicant, QuestionContext(int(revenue), now.term))
    term = Term(now.term.effective, now.term.expiration, FULL_PRIOR_ACTS if reached_back == "1" else None)
    by_dates = _asked(applicant, QuestionContext(now.revenue, term))
    found = {
        name: f"Asked at a revenue of {in_dollars(now.revenue)}"
        for name in _asked(applicant, now) - by_revenue
    }
    return found | dict.fromkeys(_asked(applicant, now) - by_dates, "Asked because of the retroactive date")


def _asked(applicant: DraftApplicant, circumstances: QuestionContext) -> set[str]:
    sections = lay_out(applicant.questions, circumstances)
    return {question.bare_id for section in sections for question in section}


def brought_up(before: DraftApplicant, now: DraftApplicant) -> tuple[str, ...]:
    """Return the printed ids of unanswered questions that the last answers opened."""
    found = now.required - before.required - now.answers.values.keys()
    return tuple(question.id for question in now.questions if question.bare_id in found)
