"""What to put right, the worst first; the same for all options of a submission."""

from bindery.contract.documents import DocumentType
from bindery.documents import layout
from bindery.documents.plain_text import Whole
from bindery.documents.wording import typographic
from bindery.domain.business_rules import long_date
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.documents.recommendations import WORST_FIRST
from bindery.domain.scan.scan import Severity


def paper(facts: DocumentFacts) -> layout.DocumentInput:
    """Gather what the recommendations show."""
    form = facts.form_of(DocumentType.RECOMMENDATIONS)
    found = facts.recommendations
    content = {
        **layout.basics(
            facts,
            DocumentType.RECOMMENDATIONS,
            title=form.title,
            footnote="Advice, not a condition of cover unless a contingency says so.",
            reference=form.title,
        ),
        "reference": [
            ["Company", Whole(facts.company_id)],
            ["Date", long_date(facts.submitted_on)],
        ],
        "title": form.title,
        "scanned": facts.has_report,
        "counts": [
            [severity.value, str(sum(recommendation.severity is severity for recommendation in found))]
            for severity in WORST_FIRST
            if severity is not Severity.INFO
        ],
        "items": [
            {
                "title": typographic(recommendation.title),
                "severity": recommendation.severity.value,
                "effort": recommendation.effort.value,
                "rows": [
                    ["What we saw", typographic(recommendation.seen)],
                    ["Why it matters", typographic(recommendation.why)],
                    ["What to do", typographic(recommendation.advice)],
                    ["How we check", typographic(recommendation.proof)],
                ],
            }
            for recommendation in found
        ],
    }
    return layout.DocumentInput(facts.submitted_on, content)
