"""Operations about signatures on the client's page."""

from functools import partial
from typing import Final

from bindery.api import operation as common
from bindery.api.operation import Answer, NextOperation, Operation, OperationParameter
from bindery.api.routes import signature_requests
from bindery.contract.signature_requests import (
    SignatureRequestAsk,
    SignatureRequestBody,
    SignatureRequestsResponse,
)

EXAMPLE_REQUEST: Final = "0197b2c4-7e21-7d04-b6c8-3a9f5d11e402"
REQUEST_ID: Final = OperationParameter(
    "signature_request_id", "path", "The signature request.", common.IDENTIFIER.schema, EXAMPLE_REQUEST
)
_ONE: Final = (common.IDENTIFIER, REQUEST_ID)
_UNKNOWN: Final = common.refusal("There is no such quote or signature request, or it is another partner's.")
_NEXT: Final = {
    "identifier": "$response.body#/quote_identifier",
    "signature_request_id": "$response.body#/signature_request_id",
}
_operation: Final = partial(Operation, tag="signatures")

OPERATIONS: Final = (
    _operation(
        method="POST",
        path="/v2/quotes/{identifier}/signature_requests",
        name="request_signature",
        summary="Have the application signed",
        description="Mails the client a link to read the application and sign it on the page, without an "
        "account. A signed application needs no upload and no attestation: the bind issues the policy at "
        "once, and a conditional binder that owes nothing else becomes the policy with the signature. A new "
        "request to the same address takes the place of the one before.",
        handler=signature_requests.request,
        takes_key=True,
        parameters=(common.IDENTIFIER,),
        body=SignatureRequestAsk,
        example={
            "email": "ann@harborlight.example.com",
            "name": "Ann Example",
            "message": "Please sign by Friday.",
        },
        answers={
            200: Answer("The link is on its way.", SignatureRequestBody),
            202: common.NOT_READY,
            400: common.refusal(
                "Nothing can be signed for the quote: the message says why, and `available_statuses` lists "
                "the statuses in which it can be. Or the body breaks a rule."
            ),
            404: common.NOT_FOUND,
        },
        links=(
            NextOperation("get_signature_request", "What became of it.", _NEXT),
            NextOperation("revoke_signature_request", "Take it back.", _NEXT),
        ),
    ),
    _operation(
        method="GET",
        path="/v2/quotes/{identifier}/signature_requests",
        name="list_signature_requests",
        summary="List signature requests",
        description="Those of one quote; expired and revoked ones for 90 days.",
        handler=signature_requests.list_requests,
        parameters=(common.IDENTIFIER,),
        answers={
            200: Answer("The signature requests, the newest first.", SignatureRequestsResponse),
            400: common.NO_SUCH_REQUEST,
            404: common.NOT_FOUND,
        },
    ),
    _operation(
        method="GET",
        path="/v2/quotes/{identifier}/signature_requests/{signature_request_id}",
        name="get_signature_request",
        summary="Get a signature request",
        description="Instead of asking again and again, register a webhook: `signature_request.opened`, "
        "`.signed` and `.declined` are events of the quote.",
        handler=signature_requests.show,
        parameters=_ONE,
        answers={
            200: Answer("The signature request.", SignatureRequestBody),
            400: common.NO_SUCH_REQUEST,
            404: _UNKNOWN,
        },
    ),
    _operation(
        method="DELETE",
        path="/v2/quotes/{identifier}/signature_requests/{signature_request_id}",
        name="revoke_signature_request",
        summary="Take a signature request back",
        description="The link does not work any more; whoever opens it learns no more than that.",
        handler=signature_requests.revoke,
        parameters=_ONE,
        answers={
            200: Answer("It is taken back, or was over before.", SignatureRequestBody),
            400: common.refusal("The client has signed it or sent it back, or the identifier is malformed."),
            404: _UNKNOWN,
        },
    ),
)
