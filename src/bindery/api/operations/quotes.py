"""Operations about quotes and about what may be asked for."""

from functools import partial
from typing import Final

from bindery.api import operation as common
from bindery.api.operation import Answer, NextOperation, Operation, OperationParameter
from bindery.api.routes import catalogue, questions, quotes
from bindery.contract.catalogue import (
    IndicationRequest,
    IndicationResponse,
    IndustriesResponse,
    ProductBody,
)
from bindery.contract.examples import CREATE_QUOTES_EXAMPLE
from bindery.contract.questions import QuestionsResponse
from bindery.contract.quote import QuoteBody
from bindery.contract.quotes import MAX_REVENUE, CreateQuotesRequest, CreateQuotesResponse
from bindery.contract.service import ValidateResponse
from bindery.domain.access.caller import Quota

_THIS: Final = "$response.body#/quote_identifier"

_get: Final = partial(Operation, method="GET", tag="quotes")
_post: Final = partial(Operation, method="POST", tag="quotes")

OPERATIONS: Final = (
    _post(
        path="/v2/quotes",
        name="create_quotes",
        summary="Request quotes",
        description="Takes an applicant, up to 15 options and the answers to the product's questions. The "
        "answer is a receipt; the terms of each option come from `GET /quotes/{identifier}`.",
        handler=quotes.create_quotes,
        quota=Quota.SUBMISSIONS,
        takes_key=True,
        body=CreateQuotesRequest,
        example=CREATE_QUOTES_EXAMPLE,
        answers={
            200: Answer("The receipt of the requested options.", CreateQuotesResponse),
            400: common.refusal(
                "A validation error with every problem, or a broker-of-record block with `reasons`."
            ),
        },
        links=(common.quote_link("The terms of the first option, once it is ready.", "quotes/0"),),
    ),
    _get(
        path="/v2/quotes/{identifier}",
        name="get_quote",
        summary="Get a quote",
        description="The only source for the terms of a quote; 202 while it is being worked on.",
        handler=quotes.get_quote,
        parameters=(common.IDENTIFIER, common.PREFER_WAIT, common.IF_NONE_MATCH),
        answers={
            200: Answer("The quote.", QuoteBody),
            202: common.NOT_READY,
            400: common.NO_SUCH_REQUEST,
            404: common.NOT_FOUND,
            429: common.TOO_MANY_WAITING,
        },
        links=(
            NextOperation(
                "download_document",
                "A document of the quote.",
                {"identifier": _THIS, "document_type": "$response.body#/available_documents/0"},
            ),
            NextOperation(
                "packet_metadata",
                "The forms of its packet.",
                {"identifier": _THIS, "packet_template_type": "quote"},
            ),
            NextOperation(
                "bind_quote",
                "Bind it, where `available_actions` has `bind`: send its `quote_identifier` and `dates`.",
                {},
            ),
            NextOperation(
                "pause_renewal",
                "Pause its renewal, where `available_actions` has `pause_renewal`.",
                {"identifier": _THIS},
            ),
            NextOperation("list_events", "What happened to it.", {"quote_identifier": _THIS}),
        ),
    ),
    _post(
        path="/v2/quotes/validate",
        name="validate_quotes",
        summary="Check a quote request",
        description="Runs every check of `POST /quotes` and says what would refer it; writes nothing. Any "
        "JSON is answered with 200: `errors` says what is wrong with it.",
        handler=quotes.validate_quotes,
        quota=Quota.READS,
        body=CreateQuotesRequest,
        example=CREATE_QUOTES_EXAMPLE,
        answers={
            200: Answer("What `POST /quotes` would say.", ValidateResponse),
            400: common.refusal(
                "The body is not JSON, or is nested too deeply or too large for any request."
            ),
        },
    ),
    _get(
        path="/v2/questions/{product}",
        name="get_questions",
        summary="Get a product's questions",
        description="Texts, types, options and conditions as data, with the edition they belong to. With "
        "`revenue`, and `answer.<id>=<value>` for each answer so far (repeated for several options), "
        "`missing` lists what still has to be answered, so that a form can grow as it is filled in.",
        handler=questions.get_questions,
        open_parameter=questions.ANSWER,
        parameters=(
            common.PRODUCT,
            common.query_parameter(
                "revenue",
                "Revenue of the last 12 months in USD, on which some questions depend.",
                {"type": "integer", "format": "int64", "minimum": 1, "maximum": MAX_REVENUE},
                2_500_000,
            ),
            common.IF_NONE_MATCH,
        ),
        answers={
            200: Answer("The question set.", QuestionsResponse),
            404: common.refusal("There is no such product."),
        },
    ),
    _get(
        path="/v2/industries",
        name="list_industries",
        summary="Find an industry",
        description="Searches NAICS 2022 by words of the title, or by a code or its beginning, and says "
        "what the industry means for a cyber quote; the other products do not ask for it or do not rate "
        "it.",
        handler=catalogue.list_industries,
        parameters=(
            OperationParameter(
                "q",
                "query",
                "Words, or their beginnings, or the beginning of a code.",
                {"type": "string", "minLength": 1, "maxLength": catalogue.LONGEST_WORDS},
                "bakery retail",
                is_required=True,
            ),
            common.limit_parameter(catalogue.MOST_INDUSTRIES, catalogue.INDUSTRIES_UNLESS_ASKED),
            common.IF_NONE_MATCH,
        ),
        answers={200: Answer("The industries, the best match first.", IndustriesResponse)},
    ),
    _get(
        path="/v2/products/{product}",
        name="get_product",
        summary="Get a product",
        description="Allowed limits, retentions by revenue, terms, what is quoted automatically, and what is "
        "covered, as data.",
        handler=catalogue.get_product,
        parameters=(common.PRODUCT, common.IF_NONE_MATCH),
        answers={
            200: Answer("The product.", ProductBody),
            404: common.refusal("There is no such product."),
        },
    ),
    _post(
        path="/v2/quotes/indication",
        name="indicate_price",
        summary="Get a price range",
        description="What a quote is likely to cost, from name, revenue, industry and state alone: the price "
        "with the best answers and with the worst. It is not a quote, cannot be bound, and writes nothing.",
        handler=catalogue.indicate_price,
        quota=Quota.READS,
        body=IndicationRequest,
        example={
            "name": "Harborlight Bakery LLC",
            "revenue": 2_500_000,
            "state": "PA",
            "industry": "311811",
            "insurance_product": "CYB",
            "aggregate_limit": 1_000_000,
        },
        answers={200: Answer("The range.", IndicationResponse)},
    ),
)
