from typing import Annotated

from msgspec import Meta, Struct

from bindery.contract.fields import QuoteIdentifier


class ErrorProblem(Struct, frozen=True, kw_only=True):
    """One problem of a request."""

    path: Annotated[
        str,
        Meta(
            description="Where in the body, or the name of a parameter; empty for the body as a whole.",
            examples=["policy.quotes[2].aggregate_limit"],
        ),
    ]
    code: str
    message: Annotated[str, Meta(description="What is wrong there, for a person.")]


class ErrorBody(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What every refusal looks like."""

    message: Annotated[str, Meta(description="One sentence for a person.")]
    code: Annotated[str, Meta(description="What it is about, for a program; codes stay.")]
    request_id: Annotated[str, Meta(description="Also in the `X-Request-Id` header; quote it to support.")]
    errors: Annotated[
        list[ErrorProblem], Meta(description="Every problem found, with its path; at most 100 of them.")
    ] = []
    errors_left_out: Annotated[int, Meta(description="How many more problems were found.")] = 0
    warnings: Annotated[
        list[ErrorProblem],
        Meta(description="Fields of the body that are not known and were ignored, with the nearest names."),
    ] = []
    reasons: Annotated[
        dict[str, str], Meta(description="What a broker-of-record block is about: `domain`, `address`.")
    ] = {}
    available_statuses: Annotated[
        list[str], Meta(description="The statuses in which this would have been possible.")
    ] = []


class NotReadyBody(Struct, frozen=True, kw_only=True):
    """The answer while a quote is being worked on; ask again after `Retry-After` seconds."""

    error: Annotated[str, Meta(description="One sentence for a person.")]
    quote_identifier: QuoteIdentifier
    quote_status: str
