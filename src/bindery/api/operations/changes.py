"""Operations about changes of a policy during its term."""

from functools import partial
from typing import Final

from bindery.api import operation as common
from bindery.api.operation import Answer, NextOperation, Operation, OperationParameter
from bindery.api.routes import changes
from bindery.contract.changes import PolicyChangeAsk, PolicyChangeBody, PolicyChangeList

CHANGE: Final = OperationParameter(
    "change",
    "path",
    "The `change_id` of a change of this policy.",
    {"type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[A-Za-z0-9_-]+$"},
    "0197c1d0-3a10-7c3e-8a41-6f2f9c0d7e90",
)
NOT_FOUND: Final = common.refusal("There is no such quote or change, or it is another partner's.")
SETTLED: Final = common.refusal(
    "`change_settled`: it was declined, withdrawn or issued, or was not accepted in time. Or a request with "
    "this Idempotency-Key is still being worked on."
)
NO_POLICY: Final = common.refusal("There is no issued policy in force.")

_post: Final = partial(Operation, method="POST", tag="changes", takes_key=True)
_get: Final = partial(Operation, method="GET", tag="changes")
_ACCEPT_IT: Final = NextOperation(
    "accept_change",
    "Accept it at its price.",
    {"identifier": "$response.body#/quote_identifier", "change": "$response.body#/change_id"},
)

OPERATIONS: Final = (
    _post(
        path="/v2/policies/{identifier}/changes",
        name="ask_for_change",
        summary="Ask for a change of a policy",
        description="Answers what the change would cost; **nothing is changed until it is accepted**. The "
        "premium is the difference for the whole term by the policy's own tariff, for the days left, "
        "rounded once; taxes and fees are those of the policy's state. A policy has one open change at a "
        "time.",
        handler=changes.ask,
        body=PolicyChangeAsk,
        example={
            "effective": "2027-01-01",
            "changes": {"aggregate_limit": 2_000_000},
            "reason": "A customer asks for a higher limit.",
        },
        parameters=(common.IDENTIFIER,),
        answers={
            200: Answer("The change with its price.", PolicyChangeBody),
            400: common.refusal(
                "It cannot be changed so, and every problem is listed with its path; or there is no issued "
                "policy in force."
            ),
            404: common.NOT_FOUND,
            409: common.refusal(
                "`change_open`: another change of the policy is open, and the message names it. Or a request "
                "with this Idempotency-Key is still being worked on."
            ),
        },
        links=(_ACCEPT_IT,),
    ),
    _get(
        path="/v2/policies/{identifier}/changes",
        name="list_changes",
        summary="List the changes of a policy",
        description="Whatever became of them, from those that are quoted to those that were withdrawn.",
        handler=changes.list_changes,
        parameters=(common.IDENTIFIER,),
        answers={200: Answer("All of them, the newest first.", PolicyChangeList), 404: common.NOT_FOUND},
    ),
    _get(
        path="/v2/policies/{identifier}/changes/{change}",
        name="get_change",
        summary="Get a change of a policy",
        description="Its price and where it stands, as an underwriter may have to decide on it.",
        handler=changes.show,
        parameters=(common.IDENTIFIER, CHANGE),
        answers={200: Answer("The change as it stands.", PolicyChangeBody), 404: NOT_FOUND},
        links=(_ACCEPT_IT,),
    ),
    _post(
        path="/v2/policies/{identifier}/changes/{change}/accept",
        name="accept_change",
        summary="Accept a change",
        description="Within authority the policy is changed at once, with an endorsement and new "
        "declarations: `issued`. Otherwise an underwriter decides: `referred`, and `policy.changed` or "
        "`policy.change_declined` follows.",
        handler=changes.accept,
        parameters=(common.IDENTIFIER, CHANGE),
        answers={
            200: Answer("It is issued or referred; accepting it twice is not an error.", PolicyChangeBody),
            400: NO_POLICY,
            404: NOT_FOUND,
            409: SETTLED,
        },
        links=(
            common.quote_link("The policy as it is now."),
            NextOperation(
                "download_document",
                "The endorsement, once it is issued.",
                {"identifier": "$response.body#/quote_identifier", "document_type": "endorsement"},
            ),
        ),
    ),
    _post(
        path="/v2/policies/{identifier}/changes/{change}/withdraw",
        name="withdraw_change",
        summary="Withdraw a change",
        description="Takes back a change that is not issued, so that another can be asked for.",
        handler=changes.withdraw,
        parameters=(common.IDENTIFIER, CHANGE),
        answers={
            200: Answer("It is withdrawn; withdrawing twice is not an error.", PolicyChangeBody),
            404: NOT_FOUND,
            409: SETTLED,
        },
    ),
)
