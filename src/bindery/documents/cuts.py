"""What the endorsements of a policy take away, in a paragraph each for the reader of a quotation."""

from collections.abc import Iterator
from typing import Final

from bindery.base.money import in_dollars
from bindery.documents import layout
from bindery.documents.plain_text import Whole
from bindery.documents.wording import endorsement, typographic
from bindery.domain.business_rules import long_date
from bindery.domain.coverages.edition import Coverage
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.documents.forms import FormKind

AFTER_RANSOMWARE: Final = ("BI", "DATA", "BRICK")
"""Coverages whose own limits a ransomware sublimit overrides."""


def cuts(facts: DocumentFacts) -> list[layout.Content]:
    """Return each endorsement that reduces the cover, in short and with the amounts of the offer."""
    edition = facts.form_edition.edition
    amounts = _amounts(facts)
    return [
        {
            "number": Whole(form.form_number),
            "title": typographic(form.title),
            "text": wording["in_short"].format_map(amounts),
        }
        for form in facts.forms.policy
        if form.kind is FormKind.ENDORSEMENT
        and "in_short" in (wording := endorsement(form.form_number, edition))
    ]


def _amounts(facts: DocumentFacts) -> dict[str, str]:
    offered = {coverage.code: coverage for coverage in layout.offer_of(facts).coverages}
    extortion, social = offered.get("EXTORT"), offered.get("SE")
    return {
        "social_limit": in_dollars(social.limit) if social else layout.NOTHING,
        "extortion_limit": in_dollars(extortion.limit) if extortion else layout.NOTHING,
        "coinsurance": str(extortion.parameter) if extortion else layout.NOTHING,
        "reduced": ", ".join(_limits(offered)),
        "retroactive": layout.retroactive(facts) or layout.NOTHING,
        "continuity": long_date(facts.continuity),
    }


def _limits(offered: dict[str, Coverage]) -> Iterator[str]:
    for code in AFTER_RANSOMWARE:
        if coverage := offered.get(code):
            yield f"{typographic(coverage.coverage_name)} {in_dollars(coverage.limit)}"
