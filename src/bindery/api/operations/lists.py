"""Operations that list what a partner has."""

import uuid
from datetime import UTC, datetime
from functools import partial
from typing import Final

from bindery.api import operation as common
from bindery.api.cursors import COMPANY_CURSORS, CURSOR_SCHEMA, POLICY_CURSORS, QUOTE_CURSORS, Cursors
from bindery.api.operation import (
    Answer,
    NextOperation,
    Operation,
    OperationParameter,
    limit_parameter,
    query_parameter,
)
from bindery.api.query import LONGEST_EMAIL, LONGEST_WORDS, METADATA, MOST_ROWS, ROWS_UNLESS_ASKED
from bindery.api.routes import companies, lists
from bindery.contract.fields import EXAMPLE_QUOTE
from bindery.contract.lists import CompaniesResponse, CompanyBody, PoliciesResponse, QuotesResponse
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus

_MOMENT: Final = {"type": "string", "format": "date-time", "maxLength": 40}
_DAY: Final = {"type": "string", "format": "date", "maxLength": 10}
_BY_METADATA: Final = (
    "`metadata.<key>=<value>`, for up to five keys, searches your own `client.metadata`: "
    "texts as they are, numbers and booleans as JSON writes them, keys and values of at most 255 characters. "
    "A parameter that the list does not have is refused."
)


STATUS: Final = OperationParameter(
    "quote_status",
    "query",
    "Only quotes in this status; repeat it for several.",
    {"type": "array", "items": common.one_of(QuoteStatus), "maxItems": len(QuoteStatus)},
    ["published"],
)
PRODUCT: Final = query_parameter(
    "insurance_product", "Only this product.", common.one_of(InsuranceProduct), "CYB"
)
COMPANY: Final = query_parameter(
    "company_id",
    "Only this company; version 0.1 ids are accepted.",
    dict(common.IDENTIFIER.schema),
    "482913750",
)
BROKER: Final = query_parameter(
    "broker_email",
    "Only what came through this broker of record.",
    {"type": "string", "minLength": 1, "maxLength": LONGEST_EMAIL},
    "broker@example.com",
)
WORDS: Final = query_parameter(
    "q",
    "Words of the applicant's name, or their beginnings; at most 200 submissions are searched.",
    {"type": "string", "minLength": 1, "maxLength": LONGEST_WORDS},
    "harborlight",
)
LIMIT: Final = limit_parameter(MOST_ROWS, ROWS_UNLESS_ASKED)


def _cursor(cursors: Cursors, *last: object) -> OperationParameter:
    """Describe the cursor of a list by one that the list takes: that of a page with this last row."""
    example = cursors.write((datetime(2026, 8, 15, 14, 30, tzinfo=UTC), *last)) or ""
    words = "The `next_cursor` of the previous page, with the same filters."
    return query_parameter("cursor", words, CURSOR_SCHEMA, example)


AFTER: Final = query_parameter(
    "created_after", "Only what was submitted after this time.", _MOMENT, "2026-01-01T00:00:00Z"
)
BEFORE: Final = query_parameter(
    "created_before", "Only what was submitted before this time.", _MOMENT, "2027-01-01T00:00:00Z"
)
COMPANY_ID: Final = OperationParameter(
    "company_id",
    "path",
    "The company's id from a receipt; version 0.1 `client_partner_id` values are accepted.",
    common.IDENTIFIER.schema,
    "482913750",
)

_WHOSE: Final = (STATUS, PRODUCT, COMPANY, BROKER, WORDS)
_get: Final = partial(Operation, method="GET", tag="lists")

OPERATIONS: Final = (
    _get(
        path="/v2/quotes",
        name="list_quotes",
        summary="List your quotes",
        description="The newest submission first, its options in order; the order stays the same while "
        f"quotes are added or change. {_BY_METADATA}",
        handler=lists.list_quotes,
        open_parameter=METADATA,
        parameters=(
            *_WHOSE,
            AFTER,
            BEFORE,
            query_parameter(
                "updated_after", "Only what changed after this time.", _MOMENT, "2026-01-01T00:00:00Z"
            ),
            LIMIT,
            _cursor(QUOTE_CURSORS, uuid.UUID(EXAMPLE_QUOTE), 1),
        ),
        answers={200: Answer("A page of quotes.", QuotesResponse)},
        links=(
            NextOperation("list_quotes", "The next page.", {"cursor": "$response.body#/next_cursor"}),
            common.quote_link("All of the first quote.", "quotes/0"),
        ),
    ),
    _get(
        path="/v2/policies",
        name="list_policies",
        summary="List your policies",
        description="Policies and conditional binders, the newest bind first, whatever became of them. "
        f"{_BY_METADATA}",
        handler=lists.list_policies,
        open_parameter=METADATA,
        parameters=(
            *_WHOSE,
            query_parameter("expires_after", "Only terms that end after this day.", _DAY, "2026-12-31"),
            query_parameter("expires_before", "Only terms that end before this day.", _DAY, "2027-03-01"),
            LIMIT,
            _cursor(POLICY_CURSORS, uuid.UUID(EXAMPLE_QUOTE)),
        ),
        answers={200: Answer("A page of policies.", PoliciesResponse)},
        links=(
            NextOperation("list_policies", "The next page.", {"cursor": "$response.body#/next_cursor"}),
            common.quote_link("All of the first policy.", "policies/0"),
        ),
    ),
    _get(
        path="/v2/companies",
        name="list_companies",
        summary="List your companies",
        description=f"The newest first, each by what was submitted for it last. {_BY_METADATA}",
        handler=lists.list_companies,
        open_parameter=METADATA,
        parameters=(
            STATUS,
            PRODUCT,
            BROKER,
            WORDS,
            AFTER,
            BEFORE,
            LIMIT,
            _cursor(COMPANY_CURSORS, 482_913_750),
        ),
        answers={200: Answer("A page of companies.", CompaniesResponse)},
        links=(
            NextOperation("list_companies", "The next page.", {"cursor": "$response.body#/next_cursor"}),
            NextOperation(
                "get_company",
                "All of the first company.",
                {"company_id": "$response.body#/companies/0/company_id"},
            ),
        ),
    ),
    _get(
        path="/v2/companies/{company_id}",
        name="get_company",
        summary="Get a company",
        description="Everything that was requested for a company, options side by side: how much more each "
        "costs than the cheapest, and what took its place; renewals and counter-offers included.",
        handler=companies.get_company,
        parameters=(COMPANY_ID, common.IF_NONE_MATCH),
        answers={
            200: Answer("The company.", CompanyBody),
            400: common.NO_SUCH_REQUEST,
            404: common.refusal("There is no such company, or it is another partner's."),
        },
        links=(common.quote_link("All of the first option.", "submissions/0/options/0"),),
    ),
)
