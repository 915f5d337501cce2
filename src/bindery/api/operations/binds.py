"""Operations about binding and renewal."""

from functools import partial
from typing import Final

from bindery.api import operation as common
from bindery.api.operation import Answer, NextOperation, Operation
from bindery.api.routes import binds
from bindery.contract.binds import (
    BindRequest,
    BindResponse,
    CancellationAsk,
    PauseRenewalResponse,
    RequestRenewalResponse,
    StandingResponse,
)
from bindery.contract.fields import EXAMPLE_QUOTE

WRONG_STATE: Final = common.refusal(
    "The state of the quote or a date does not allow it; `available_statuses` lists the statuses that do."
)

_post: Final = partial(Operation, method="POST", tag="binds", takes_key=True)

OPERATIONS: Final = (
    _post(
        path="/v2/binds",
        name="bind_quote",
        summary="Bind a quote",
        description="If only the signature contingency is open, a conditional binder is issued; with an "
        "attested application, the policy. Anything else is reviewed by an underwriter: `outcome` says "
        "which. What was quoted is bound: only dates given here change the term, and with it the price. The "
        "same bind sent again returns the same receipt. **A quote that is still being worked on answers 202 "
        "and is not bound.**",
        handler=binds.bind,
        body=BindRequest,
        example={
            "quote_identifier": EXAMPLE_QUOTE,
            "dates": {"effective": "2026-12-01"},
            "app_attestation": False,
        },
        answers={
            200: Answer("The receipt of the bound option, and the outcome of the bind.", BindResponse),
            202: common.NOT_READY,
            400: common.refusal(
                "The state of the quote, its dates or its papers do not allow it; `available_statuses` "
                "lists the statuses in which it can be bound."
            ),
            404: common.NOT_FOUND,
        },
        links=(
            common.quote_link("The quote as it is now.", "quotes/0"),
            NextOperation(
                "download_document",
                "The binder.",
                {
                    "identifier": "$response.body#/quotes/0/quote_identifier",
                    "document_type": "binder",
                },
            ),
        ),
    ),
    _post(
        path="/v2/quotes/{identifier}/pause_renewal",
        name="pause_renewal",
        summary="Pause automatic renewal",
        description="Changes the renewal of the policy, and of its renewal if there is one, to manual.",
        handler=binds.pause,
        parameters=(common.IDENTIFIER,),
        answers={
            200: Answer("It is paused; pausing twice is not an error.", PauseRenewalResponse),
            422: common.refusal(
                "There is no renewal to pause, or the Idempotency-Key was used with another request."
            ),
        },
    ),
    _post(
        path="/v2/quotes/{identifier}/resume_renewal",
        name="resume_renewal",
        summary="Resume automatic renewal",
        description="Undoes `pause_renewal`, for the policy and for its renewal if there is one.",
        handler=binds.resume,
        parameters=(common.IDENTIFIER,),
        answers={
            200: Answer("It renews automatically; resuming twice is not an error.", PauseRenewalResponse),
            422: common.refusal(
                "There is no renewal to resume, or the Idempotency-Key was used with another request."
            ),
        },
    ),
    _post(
        path="/v2/quotes/{identifier}/request_renewal",
        name="request_renewal",
        summary="Ask for a renewal offer",
        description="Makes the offer at once, from 90 days before the policy ends. The offer of a paused "
        "policy is never bound by itself: bind it like any quote, in the 30 days before the policy ends. "
        "Where there is a renewal already, the answer names that one.",
        handler=binds.ask_for_renewal,
        parameters=(common.IDENTIFIER,),
        answers={
            200: Answer(
                "The renewal is worked out, or was before; asking twice is not an error.",
                RequestRenewalResponse,
            ),
            400: common.refusal(
                "It is too early: the message has the first day. Or the policy is not in force, its renewal "
                "is over, or the company has other cover for the time after it."
            ),
            404: common.NOT_FOUND,
        },
        links=(
            NextOperation(
                "get_quote", "The offer, once it is ready.", {"identifier": "$response.body#/renewed_by"}
            ),
        ),
    ),
    _post(
        path="/v2/quotes/{identifier}/withdraw",
        name="withdraw_quote",
        summary="Withdraw a quote",
        description="Withdraws an open quote, whether published, offered as a renewal, referred or still "
        "being worked on: it becomes `quote_revoked`, with `decision.kind` `withdrawn`.",
        handler=binds.withdraw,
        parameters=(common.IDENTIFIER,),
        answers={
            200: Answer("It is withdrawn; withdrawing twice is not an error.", StandingResponse),
            400: WRONG_STATE,
            404: common.NOT_FOUND,
        },
    ),
    _post(
        path="/v2/quotes/{identifier}/request_cancellation",
        name="request_cancellation",
        summary="Ask for a cancellation",
        description="Puts a case on the underwriters' desk. The policy stays in force until one decides; "
        "the quote's `cancellation_request` says what became of it. A later request replaces an "
        "open one.",
        handler=binds.cancel,
        body=CancellationAsk,
        example={"effective": "2027-01-01", "reason": "business_sold"},
        parameters=(common.IDENTIFIER,),
        answers={
            200: Answer(
                "An underwriter decides; sending the same request again is not an error.", StandingResponse
            ),
            400: WRONG_STATE,
            404: common.NOT_FOUND,
        },
    ),
)
