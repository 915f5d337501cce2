"""Operations that only the demo environment has."""

from functools import partial
from typing import Final

from bindery.api import operation as common
from bindery.api.operation import Answer, Operation
from bindery.api.routes import demo
from bindery.api.routes.documents import PDF
from bindery.contract.demo import ClockShown, MoveClock, ReviewRequest
from bindery.contract.quote import QuoteBody
from bindery.settings import Environment

DEMO_ONLY: Final = frozenset({Environment.DEMO})

_get: Final = partial(Operation, method="GET", tag="demo", environments=DEMO_ONLY)
_post: Final = partial(Operation, method="POST", tag="demo", environments=DEMO_ONLY)

OPERATIONS: Final = (
    _get(
        path="/v2/demo/clock",
        name="show_clock",
        summary="Show the demo's clock",
        description="Dates, deadlines and webhook retries follow it; tokens, logs and metrics do not.",
        handler=demo.show_clock,
        answers={200: Answer("The service's business time.", ClockShown)},
    ),
    _post(
        path="/v2/demo/clock",
        name="move_clock",
        summary="Move the demo's clock",
        description="Moves the service's clock ahead, runs what became due, and answers when that is done.",
        handler=demo.advance_clock,
        body=MoveClock,
        example={"advance_days": 61},
        answers={200: Answer("The new time.", ClockShown)},
    ),
    _post(
        path="/v2/demo/quotes/{identifier}/review",
        name="review_quote",
        summary="Play the underwriter",
        description="Decides what waits for an underwriter: a referral, a bind request, a contingency; or "
        "ends a quote or policy.",
        handler=demo.review,
        parameters=(common.IDENTIFIER,),
        body=ReviewRequest,
        example={
            "decision": "approve",
            "reason": "Looked at, and fine.",
            "terms": {"aggregate_retention": 10_000},
        },
        answers={
            200: Answer("The quote after the decision.", QuoteBody),
            400: common.refusal("The state of the quote does not allow it, or the body breaks a rule."),
            404: common.NOT_FOUND,
        },
    ),
    _get(
        path="/v2/demo/quotes/{identifier}/signed_application",
        name="signed_application",
        summary="Play the applicant",
        description="The application of the quote as the applicant sends it back: name, title and date are "
        "filled in, and the name stands in the place for the signature. Upload it for that contingency.",
        handler=demo.signed_application,
        parameters=(common.IDENTIFIER,),
        answers={
            200: Answer("The signed application.", media_type=PDF),
            400: common.refusal("The quote has no application in its status."),
            404: common.NOT_FOUND,
        },
    ),
)
