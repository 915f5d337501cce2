"""Bodies of the operations about the service itself, and of POST `/quotes/validate`."""

from typing import Annotated

from msgspec import Meta, Struct

from bindery.contract.errors import ErrorProblem


class HealthCheck(Struct, frozen=True):
    """Whether the service can do its work."""

    healthy: bool


class ReferralReason(Struct, frozen=True, kw_only=True):
    """Why a person must look at a quote."""

    code: str
    text: str
    recommendation: Annotated[
        str, Meta(description="`refer` or `decline`: what the rule advises the underwriter.")
    ]


class ValidateResponse(Struct, frozen=True, kw_only=True):
    """What POST `/quotes` would say of the same body."""

    valid: bool
    errors: Annotated[list[ErrorProblem], Meta(description="At most 100 of the problems found.")]
    errors_left_out: Annotated[int, Meta(description="How many more problems were found.")] = 0
    warnings: Annotated[
        list[ErrorProblem],
        Meta(
            description="What would be taken and is not as it seems: unknown fields, and all that the quote "
            "would name in `corrections`."
        ),
    ] = []
    missing: Annotated[list[str], Meta(description="Ids of required questions without an answer.")]
    referral_reasons: Annotated[
        list[ReferralReason], Meta(description="What would refer it, as far as can be said before the scan.")
    ]
