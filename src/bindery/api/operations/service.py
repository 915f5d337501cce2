"""Operations about the service itself."""

from typing import Final

from bindery.api import operation as common
from bindery.api.operation import Answer, Operation
from bindery.api.routes import documentation, service
from bindery.contract.errors import ErrorBody
from bindery.contract.service import HealthCheck

OPERATIONS: Final = (
    Operation(
        method="GET",
        path="/v2/health_check",
        name="health_check",
        summary="Check the service's health",
        description="Takes no token. Answers 200 also where it is not healthy: `healthy` says.",
        tag="service",
        handler=service.health_check,
        needs_token=False,
        answers={200: Answer("Whether the service can do its work.", HealthCheck)},
    ),
    Operation(
        method="GET",
        path="/v2/openapi.json",
        name="openapi",
        summary="Get this document",
        description="The operations of this environment, as OpenAPI; `bindery openapi` prints the same.",
        tag="service",
        handler=documentation.openapi_document,
        needs_token=False,
        parameters=(common.IF_NONE_MATCH,),
        answers={
            200: Answer("The OpenAPI 3.1 document of the service.", dict),
            304: common.NOT_MODIFIED,
        },
    ),
    Operation(
        method="GET",
        path="/docs",
        name="docs",
        summary="Read the documentation",
        description="The guide and this document for people, with examples and a search over all of it.",
        tag="service",
        handler=documentation.docs_page,
        needs_token=False,
        parameters=(common.IF_NONE_MATCH,),
        answers={200: Answer("A page for people.", media_type="text/html"), 304: common.NOT_MODIFIED},
    ),
    Operation(
        method="GET",
        path="/livez",
        name="livez",
        summary="Is the process alive?",
        description="For whoever restarts processes that hang; asks nothing of the database.",
        tag="service",
        handler=service.livez,
        needs_token=False,
        answers={200: Answer("It is.", media_type="text/plain")},
    ),
    Operation(
        method="GET",
        path="/readyz",
        name="readyz",
        summary="Can the process take requests?",
        description="For load balancers: whether the database answers and has the schema of this version.",
        tag="service",
        handler=service.readyz,
        needs_token=False,
        answers={
            200: Answer("It can.", media_type="text/plain"),
            503: Answer(
                "It cannot: the database does not answer or lacks a migration.", media_type="text/plain"
            ),
        },
    ),
    Operation(
        method="GET",
        path="/metrics",
        name="metrics",
        summary="Get the metrics",
        description="For the operator: with `BINDERY_METRICS_TOKEN` set, that is the bearer token to send. "
        "Without it there are no metrics in production, and the demo shows them to everybody.",
        tag="service",
        handler=service.metrics,
        needs_token=False,
        answers={
            200: Answer("Prometheus' text form.", media_type="text/plain"),
            401: Answer("The metrics token is missing or wrong.", ErrorBody, headers=("WWW-Authenticate",)),
            404: Answer("The service has no metrics token.", ErrorBody),
        },
    ),
)
