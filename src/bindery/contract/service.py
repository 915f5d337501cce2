"""Bodies of the operations about the service itself, and of POST `/quotes/validate`."""

from typing import Annotated

from msgspec import Meta, Struct

from bindery.contract.errors import ErrorProblem


class HealthCheck(Struct, frozen=True):
    """Whether the service can do its work."""

    healthy: Annotated[
        bool, Meta(description="Whether the database answers and has the schema of this version.")
    ]


class ReferralReason(Struct, frozen=True, kw_only=True):
    """Why a person must look at a quote."""

    code: str
    text: Annotated[str, Meta(description="The reason in words.")]
    recommendation: Annotated[str, Meta(description="What the rule advises the underwriter to do.")]


class ValidateResponse(Struct, frozen=True, kw_only=True):
    """What POST `/quotes` would say of the same body."""

    valid: Annotated[bool, Meta(description="Whether `POST /quotes` would take it.")]
    errors: Annotated[list[ErrorProblem], Meta(description="At most 100 of the problems found.")]
    errors_left_out: Annotated[int, Meta(description="How many more problems were found.")] = 0
    warnings: Annotated[
        list[ErrorProblem],
        Meta(
            description="What would be accepted but not used as sent: unknown fields, and all that the quote "
            "would name in `corrections`."
        ),
    ] = []
    missing: Annotated[list[str], Meta(description="Ids of required questions without an answer.")]
    referral_reasons: Annotated[
        list[ReferralReason], Meta(description="What would refer it, as far as can be said before the scan.")
    ]
