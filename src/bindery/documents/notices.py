"""What the notices about a policy share."""

from typing import TypeVar

from bindery.contract.documents import DocumentType
from bindery.documents import layout
from bindery.documents.plain_text import Whole
from bindery.domain.business_rules import long_date
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.documents.notices import NoticeFacts, PolicyEvent

Event = TypeVar("Event", bound=PolicyEvent)


def event_of(facts: DocumentFacts, kind: type[Event]) -> Event:
    """Return what a notice is about.

    Raises:
        MissingFacts: no such thing happened.
    """
    if not isinstance(facts, NoticeFacts) or not isinstance(facts.event, kind):
        raise layout.MissingFacts(f"Quote {facts.quote_identifier} was not {kind.__name__.lower()}")
    return facts.event


def notice_content(
    facts: DocumentFacts, kind: DocumentType, event: PolicyEvent, *, title: str, footnote: str
) -> layout.Content:
    """Return what is on every notice: whose policy it is about, and who is told."""
    binding = layout.binding_of(facts)
    written = long_date(event.on)
    return {
        **layout.basics(
            facts,
            kind,
            title=f"{title} {binding.policy_number}",
            footnote=footnote,
            reference=f"Policy {binding.policy_number}",
        ),
        "reference": [["Policy", Whole(binding.policy_number)], ["Notice of", written]],
        "title": title,
        "date": written,
        "greeting": layout.greeting(facts),
        "policy_number": Whole(binding.policy_number),
        "conditional": facts.conditional,
        "state": facts.notice.state_name,
    }
