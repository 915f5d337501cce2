"""Fields that many bodies have, described once.

What is said of their form is for readers of the OpenAPI document; nothing is refused by it.
"""

from datetime import datetime
from typing import Annotated, Final

from msgspec import Meta

EXAMPLE_QUOTE: Final = "0197b2c4-5d10-7c3e-8a41-6f2f9c0d7e55"

QuoteIdentifier = Annotated[
    str,
    Meta(description="Identifies the quote.", examples=[EXAMPLE_QUOTE], extra_json_schema={"format": "uuid"}),
]
CompanyId = Annotated[
    str,
    Meta(
        description="Identifies the applicant; send it as `client.company_id` to ask for more.",
        examples=["482913750"],
        extra_json_schema={"pattern": "^[0-9]{9}$", "maxLength": 9},
    ),
]
ContingencyId = Annotated[
    str,
    Meta(
        description="Identifies the contingency.",
        examples=["100007"],
        extra_json_schema={"pattern": "^[0-9]+$", "maxLength": 20},
    ),
]
PolicyNumber = Annotated[
    str,
    Meta(
        description="The policy's number; a renewal has the next suffix.",
        examples=["CYB-26-0001234-7-00"],
        extra_json_schema={"maxLength": 40},
    ),
]
Uuid = Annotated[str, Meta(extra_json_schema={"format": "uuid"})]
Moment = Annotated[datetime, Meta(tz=True)]
"""A time with its zone; every one that we send is in UTC."""


MANY_LINES: Final = "x-many-lines"
"""The schema keyword of texts that may hold line breaks and tabs."""

Lines = Annotated[str, Meta(extra_json_schema={MANY_LINES: True})]

LONGEST_BY_HAND: Final = 1_000
"""How many characters an underwriter's reason or contingency may have."""
