"""From a token to a policy, one request after the other: the story that every collection tells and checks."""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Final

from bindery.contract.examples import CREATE_QUOTES_EXAMPLE

TITLE: Final = "From a token to a policy"
MOST_TRIES: Final = 60
"""Of a step that waits. Those for a quote wait half a minute each."""


@dataclass(frozen=True, slots=True)
class StoryCheck:
    """What the answer has: an expression in JavaScript over `status`, `type` and `body`, and its value."""

    says: str
    found: str
    expected: str | int | bool


@dataclass(frozen=True, slots=True)
class StoryStep:
    """A request. `{{name}}` is a variable, and `keeps` the variables that its answer gives."""

    name: str
    method: str
    path: str
    says: str
    checks: tuple[StoryCheck, ...]
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    keeps: Mapping[str, str] = field(default_factory=dict)
    again_until: str = ""
    """An expression: until it holds the request is sent again, as far as the format can."""


def _applicant() -> dict[str, Any]:
    """Return the example of the document, for a client who signs what is sent."""
    request = deepcopy(CREATE_QUOTES_EXAMPLE)
    request["client"]["name"] += " (signs)"
    return request


def _is(status: int) -> StoryCheck:
    return StoryCheck(f"is answered {status}", "status", status)


STORY: Final = (
    StoryStep(
        "Ask for quotes",
        "POST",
        "/v2/quotes",
        "A receipt with one identifier for each option. The demo's client `… (signs)` signs what is sent.",
        (_is(200), StoryCheck("has a receipt for each option", "body.quotes.length", 2)),
        body=_applicant(),
        keeps={"quote": "body.quotes[0].quote_identifier"},
    ),
    StoryStep(
        "Wait for the quote",
        "GET",
        "/v2/quotes/{{quote}}",
        "`Prefer: wait` holds the answer until the option is scanned, priced and screened; before it is 202.",
        (
            _is(200),
            StoryCheck("can be bound", "body.quote_status", "published"),
            StoryCheck("has a price", "body.total > 0", expected=True),
        ),
        headers={"Prefer": "wait=30"},
        keeps={
            "effective": "body.dates.effective",
            "contingency": "body.contingencies[0].contingency_id",
        },
        again_until="status !== 202",
    ),
    StoryStep(
        "Download the quote letter",
        "GET",
        "/v2/quotes/quote_letter/{{quote}}",
        "A PDF for the insured.",
        (_is(200), StoryCheck("is a PDF", "type", "application/pdf")),
    ),
    StoryStep(
        "Send the application to sign",
        "POST",
        "/v2/quotes/{{quote}}/signature_requests",
        "The client gets a link by mail, reads the application and signs; on the demo a moment later.",
        (_is(200), StoryCheck("is on its way", "body.status", "sent")),
        body={"email": "ann@harborlight.example.com", "name": "Ann Example"},
        keeps={"request": "body.signature_request_id"},
    ),
    StoryStep(
        "Wait for the signature",
        "GET",
        "/v2/quotes/{{quote}}/signature_requests/{{request}}",
        "A webhook tells it as `signature_request.signed`; a collection asks.",
        (_is(200), StoryCheck("is signed", "body.status", "signed")),
        again_until='body.status === "signed"',
    ),
    StoryStep(
        "Bind",
        "POST",
        "/v2/binds",
        "The signed application is there, so the policy is issued at once.",
        (
            _is(200),
            StoryCheck("issues the policy", "body.quotes[0].outcome", "policy_issued"),
            StoryCheck("has a policy number", "body.quotes[0].policy_number.length > 0", expected=True),
        ),
        body={
            "quote_identifier": "{{quote}}",
            "dates": {"effective": "{{effective}}"},
            "app_attestation": True,
        },
        keeps={"policy": "body.quotes[0].policy_number"},
    ),
    StoryStep(
        "Download the policy",
        "GET",
        "/v2/quotes/policy/{{quote}}",
        "Declarations, form and every endorsement in one PDF.",
        (_is(200), StoryCheck("is a PDF", "type", "application/pdf")),
    ),
)
