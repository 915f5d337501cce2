"""The receipt and the quote: their fields."""

from collections.abc import Iterator
from typing import Final

from bindery.conformance.expect import (
    DAY,
    NULL,
    NUMBER,
    OBJECT,
    SOME_TEXT,
    TEXT,
    WHOLE,
    AtPath,
    Must,
    Status,
    SumsUp,
    Within,
    equals,
    holding,
    items,
    null_or,
    one_of,
    same_as,
)
from bindery.conformance.requests import CYB, MPL, TEO, submission, submit
from bindery.conformance.row import SpecRow
from bindery.conformance.rows.making import GOOD
from bindery.conformance.rows.statuses import STATUSES

RECEIPT: Final = "Create-quotes response"
QUOTE: Final = "Quote"
PUBLISHED: Final = {
    CYB: "a published CYB quote",
    TEO: "a published TEO quote",
    MPL: "a published MPL quote",
}
OF_QUOTE: Final[tuple[tuple[str, Must, bool, str], ...]] = (
    ("quote_identifier", same_as("quote", "the identifier of the receipt"), False, "string, required"),
    ("company_id", same_as("company", "the company_id of the receipt"), False, "string"),
    ("client", OBJECT, False, "Client"),
    ("aggregate_limit", equals(1_000_000), False, "integer: the terms of the quote"),
    ("aggregate_retention", null_or(WHOLE), True, "integer"),
    ("per_claim_limit", equals(1_000_000), False, "integer; defaults to the aggregate limit"),
    ("per_claim_retention", null_or(WHOLE), True, "integer; applies to MPL"),
    ("premium", WHOLE, False, "integer: USD, rounded to the nearest dollar"),
    ("quote_status", one_of(*STATUSES), False, "string, one of the 25 values"),
    ("quote_expiration_date", DAY, False, "string, YYYY-MM-DD"),
    ("dates.effective", DAY, False, "date"),
    ("dates.expiration", DAY, False, "date"),
    ("contingencies", items(1), False, "array of Contingency"),
    ("coverages", items(1), False, "array of Coverage"),
    ("surcharges", items(0), False, "array of Surcharge"),
    ("surcharges_effective_from", DAY, False, "date"),
    ("surcharges_effective_until", null_or(DAY), True, "date"),
    ("filing_effective_from", DAY, False, "date"),
    ("filing_effective_until", null_or(DAY), True, "date"),
    ("error_occurred", equals(expected=False), False, "boolean"),
    ("red_flags_exist", equals(expected=False), False, "boolean"),
    ("policy_number", null_or(TEXT), True, "string; available after a successful bind request"),
)
OF_PARTS: Final[tuple[tuple[str, Must, str], ...]] = (
    ("contingencies[*].contingency_id", SOME_TEXT, "Contingency: string"),
    ("contingencies[*].status", one_of("open", "closed"), "Contingency: open, closed"),
    ("contingencies[*].text", SOME_TEXT, "Contingency: string"),
    ("contingencies[*].type", one_of("pre_bind", "post_bind"), "Contingency: pre_bind, post_bind"),
    ("coverages[*].coverage_name", SOME_TEXT, "Coverage: string"),
    ("coverages[*].limit", null_or(WHOLE), "Coverage: integer"),
    ("coverages[*].retention", null_or(WHOLE), "Coverage: integer"),
    ("coverages[*].parameter_name", null_or(TEXT), "Coverage: string"),
    ("coverages[*].parameter", null_or(WHOLE), "Coverage: integer"),
    ("surcharges[*].title", SOME_TEXT, "Surcharge: string"),
    ("surcharges[*].percentage", NUMBER, "Surcharge: number (float)"),
    ("surcharges[*].price", NUMBER, "Surcharge: number (float)"),
)
ECHOED: Final = {
    "requested_aggregate_limit": 3_000_000,
    "requested_aggregate_retention": 25_000,
    "requested_per_claim_limit": 1_000_000,
    "requested_per_claim_retention": 5_000,
}


def _receipt() -> Iterator[SpecRow]:
    option = {name.removeprefix("requested_"): value for name, value in ECHOED.items()}
    asked = submit(submission(MPL, put={"policy.quotes": [option, {"aggregate_limit": 500_000}]}))
    for field, value in ECHOED.items():
        yield SpecRow(
            f"receipt.{field}",
            RECEIPT,
            f"{field}: echo of the request.",
            (GOOD, AtPath(f"quotes[0].{field}", equals(value))),
            steps=(asked,),
        )
        if field != "requested_aggregate_limit":
            yield SpecRow(
                f"receipt.{field}.null",
                RECEIPT,
                f"{field}: null when not requested.",
                (GOOD, AtPath(f"quotes[1].{field}", equals(None))),
                steps=(asked,),
            )
    one_each = AtPath("quotes", items(2, 2))
    yield SpecRow(
        "receipt.one-each",
        RECEIPT,
        "quotes: one item per requested option.",
        (GOOD, one_each),
        steps=(asked,),
    )
    for field, path in (("company_id", "company_id"), ("quote_identifier", "quotes[*].quote_identifier")):
        yield SpecRow(
            f"receipt.{field}", RECEIPT, f"{field}: string.", (GOOD, AtPath(path, SOME_TEXT)), steps=(asked,)
        )
    for field in ("aggregate_limit", "aggregate_retention", "per_claim_limit"):
        yield SpecRow(
            f"receipt.{field}.deprecated",
            "Versioning",
            f"{field} of the receipt is deprecated: not sent.",
            (GOOD, AtPath(f"quotes[*].{field}", Must("absent", lambda *_: False), optional=True)),
            steps=(asked,),
            decision=True,
        )


def _quote() -> Iterator[SpecRow]:
    for product, scene in PUBLISHED.items():
        for path, must, optional, words in OF_QUOTE:
            name = f"quote.{product}.{path}"
            check = AtPath(path, must, optional)
            yield SpecRow(name, QUOTE, f"{path}: {words}.", (check,), scene=scene, looks_at="quote")
        for path, must, words in OF_PARTS:
            kind, sentence = words.split(": ", 1)
            field = path.replace("[*]", "")
            yield SpecRow(
                f"quote.{product}.{field}",
                kind,
                f"{field}: {sentence}.",
                (AtPath(path, must),),
                scene=scene,
                looks_at="quote",
            )
        yield SpecRow(
            f"quote.{product}.insurance_product",
            QUOTE,
            "insurance_product: CYB, TEO, MPL.",
            (AtPath("insurance_product", equals(product), optional=product == CYB),),
            scene=scene,
            looks_at="quote",
        )
        yield SpecRow(
            f"quote.{product}.total",
            QUOTE,
            "total: the premium and what every surcharge costs.",
            (SumsUp("total", ("premium", "surcharges[*].price")),),
            scene=scene,
            looks_at="quote",
            decision=True,
        )
    for field in (
        "name",
        "revenue",
        "broker_email",
        "address",
        "address.street",
        "address.city",
        "address.zip",
    ):
        yield SpecRow(
            f"quote.client.{field}",
            "Client",
            f"client.{field}: as it was sent.",
            (AtPath(f"client.{field}", OBJECT if field == "address" else _as_sent(field)),),
            scene="a published CYB quote",
            looks_at="quote",
        )
    yield SpecRow(
        "quote.TEO.industry",
        TECHNOLOGY,
        "For TEO, the industry in the quote response is 00.",
        (AtPath("client.industry", equals("00")),),
        scene="a published TEO quote",
        looks_at="quote",
    )
    yield SpecRow(
        "quote.readiness",
        "What the service does",
        "The 90th-percentile time to readiness is 40 seconds.",
        (Status(200), Within(40)),
        scene="a published CYB quote",
        looks_at="quote",
    )
    for product, scene in PUBLISHED.items():
        yield SpecRow(
            f"quote.{product}.no-policy-yet",
            QUOTE,
            "policy_number: available after a successful bind request, and not before.",
            (AtPath("policy_number", NULL, optional=True),),
            scene=scene,
            looks_at="quote",
        )
    yield SpecRow(
        "quote.signature",
        "Endpoints, POST /binds",
        "The list usually holds one post-bind contingency (the signed application).",
        (
            AtPath("contingencies", items(1, 1)),
            AtPath("contingencies[0].type", equals("post_bind")),
            AtPath("contingencies[0].text", holding("signed", "application")),
        ),
        scene="a published CYB quote",
        looks_at="quote",
    )


TECHNOLOGY: Final = "Additional technology question set"


def _as_sent(field: str) -> Must:
    sent = {
        "name": "Rowbyrow Bakery LLC",
        "revenue": 2_500_000,
        "address.street": "1200 Market Street",
        "address.city": "Philadelphia",
        "address.zip": "19107",
    }
    return equals(sent[field]) if field in sent else same_as("broker", "the broker_email that was sent")


ROWS: Final = (*_receipt(), *_quote())
