"""Operations about what may be asked for."""

from functools import partial
from typing import Final

from bindery.api import operation as common
from bindery.api.operation import Answer, Operation, OperationParameter
from bindery.api.routes import catalogue
from bindery.contract.catalogue import (
    IndicationRequest,
    IndicationResponse,
    IndustriesResponse,
    ProductBody,
)
from bindery.domain.access.caller import Quota

_get: Final = partial(Operation, method="GET", tag="quotes")
_post: Final = partial(Operation, method="POST", tag="quotes")

OPERATIONS: Final = (
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
