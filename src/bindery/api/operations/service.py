"""Operations about the service itself."""

from functools import partial
from typing import Final

from bindery.api import operation as common
from bindery.api.operation import Answer, Handler, Operation
from bindery.api.routes import packages, service
from bindery.contract.service import HealthCheck

_get: Final = partial(Operation, method="GET", tag="service", needs_token=False)

OPERATIONS: Final = (
    _get(
        path="/v2/health_check",
        name="health_check",
        summary="Check the service's health",
        description="Takes no token. Returns 200 even when it is not healthy: `healthy` says which.",
        handler=service.health_check,
        answers={200: Answer("Whether the service can do its work.", HealthCheck)},
    ),
    _get(
        path="/v2/openapi.json",
        name="openapi",
        summary="Get this document",
        description="The operations of this environment, as OpenAPI; `bindery openapi` prints the same. "
        "Generators that cannot read the `webhooks` of OpenAPI 3.1, such as openapi-generator, take the one "
        "without: `?webhooks=no`.",
        handler=service.openapi_document,
        parameters=(
            common.query_parameter(
                "webhooks",
                "Whether the document describes what is delivered to webhooks.",
                {**common.one_of(service.WithWebhooks), "default": service.WithWebhooks.YES.value},
                "no",
            ),
            common.IF_NONE_MATCH,
        ),
        answers={200: Answer("The OpenAPI 3.1 document of the service.", dict)},
    ),
    _get(
        path="/docs",
        name="docs",
        summary="Read the documentation",
        description="The guide and this document for people, with examples and full-text search.",
        handler=service.docs_page,
        parameters=(common.IF_NONE_MATCH,),
        answers={200: Answer("A page for people.", media_type="text/html")},
    ),
    _get(
        path="/livez",
        name="livez",
        summary="Is the process alive?",
        description="For whatever restarts processes that hang; does not ask the database.",
        handler=service.livez,
        answers={200: Answer("It is.", media_type="text/plain")},
    ),
    _get(
        path="/readyz",
        name="readyz",
        summary="Can the process take requests?",
        description="For load balancers: whether the database answers and has the schema of this version.",
        handler=service.readyz,
        answers={
            200: Answer("It can.", media_type="text/plain"),
            503: Answer(
                "It cannot: the database does not answer or lacks a migration.", media_type="text/plain"
            ),
        },
    ),
    _get(
        path="/metrics",
        name="metrics",
        summary="Get the metrics",
        description="For the operator: when `BINDERY_METRICS_TOKEN` is set, send it as the bearer token. "
        "Without it there are no metrics in production, and the demo shows them to everyone.",
        handler=service.metrics,
        answers={
            200: Answer("The Prometheus text format.", media_type="text/plain"),
            401: common.refusal("The metrics token is missing or wrong.", headers=("WWW-Authenticate",)),
            404: common.refusal("The service has no metrics token."),
        },
    ),
)


def _page(path: str, name: str, handler: Handler) -> Operation:
    return Operation(
        method="GET",
        path=path,
        name=name,
        summary="Read the documentation",
        tag="service",
        handler=handler,
        needs_token=False,
        answers={200: Answer("A page for people.", media_type="text/html")},
    )


SITE: Final = (
    _page("/docs/reference", "docs_reference", service.reference),
    _page("/docs/reference/{operation}", "docs_operation", service.operation),
    _page("/docs/question-list", "docs_question_list", service.question_list),
    _page("/docs/search", "docs_search", service.search),
    _page("/docs/changelog.xml", "docs_changelog_feed", service.changelog_feed),
    _page("/docs/{page}", "docs_guide", service.guide_page),
    _page("/packages/", "packages", packages.packages_page),
    _page("/packages/{package}", "package", packages.package),
    _page("/llms.txt", "docs_for_programs", service.for_programs),
)
"""Served, and not part of the OpenAPI document: the other pages of the documentation, and the packages."""
