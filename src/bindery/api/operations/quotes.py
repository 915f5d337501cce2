"""Operations about quotes; the hot ones first, since routes are tried in order."""

from functools import partial
from typing import Final

from bindery.api import operation as common
from bindery.api.operation import Answer, NextOperation, Operation
from bindery.api.routes import questions, quotes
from bindery.contract.examples import CREATE_QUOTES_EXAMPLE
from bindery.contract.questions import QuestionsResponse
from bindery.contract.quote import QuoteBody
from bindery.contract.quotes import MAX_REVENUE, CreateQuotesRequest, CreateQuotesResponse
from bindery.contract.service import ValidateResponse
from bindery.domain.access.caller import Quota

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
                {
                    "identifier": "$response.body#/quote_identifier",
                    "document_type": "$response.body#/available_documents/0",
                },
            ),
            NextOperation(
                "packet_metadata",
                "The forms of its packet.",
                {"identifier": "$response.body#/quote_identifier", "packet_template_type": "quote"},
            ),
            NextOperation(
                "bind_quote",
                "Bind it, where `available_actions` has `bind`.",
                {},
                {
                    "quote_identifier": "$response.body#/quote_identifier",
                    "dates": {"effective": "$response.body#/dates/effective"},
                },
            ),
            NextOperation(
                "pause_renewal",
                "Pause its renewal, where `available_actions` has `pause_renewal`.",
                {"identifier": "$response.body#/quote_identifier"},
            ),
            NextOperation(
                "list_events",
                "What happened to it.",
                {"quote_identifier": "$response.body#/quote_identifier"},
            ),
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
)
