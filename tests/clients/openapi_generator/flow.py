"""A partner's program on the Python client that openapi-generator makes: from a quote to a policy."""

import json
import os
import sys
import uuid
from datetime import UTC, datetime, timedelta

from openapi_client import (
    ApiClient,
    BindsApi,
    Configuration,
    CreateQuotesRequest,
    DemoApi,
    DocumentsApi,
    QuoteBody,
    QuotesApi,
    WebhooksApi,
)
from openapi_client.exceptions import NotFoundException
from openapi_client.models.bind_request import BindRequest

REQUEST = {
    "client": {
        "name": os.environ["BINDERY_COMPANY"],
        "revenue": 2_500_000,
        "broker_email": "broker@example.com",
        "address": {"street": "1200 Market Street", "city": "Philadelphia", "zip": "19107", "state": "PA"},
        "domains": ["clean.example.com"],
        "industry": "311812",
        "metadata": {"crm": "A-17"},
    },
    "policy": {"insurance_product": "CYB", "quotes": [{"aggregate_limit": 1_000_000}]},
    "questions": [
        {"id": "Q2134", "value": True},
        {"id": "Q2314", "value": 35},
        {"id": "Q2244", "value": ["None of the above"]},
        {"id": "Q2159", "value": False},
        {"id": "Q2142", "value": True},
        {"id": "Q2300", "value": True},
        {"id": "Q2301", "value": True},
        {"id": "Q2146", "value": False},
        {"id": "Q2147", "value": False},
    ],
}


def main() -> None:
    settings = Configuration(host=os.environ["BINDERY_URL"], access_token=os.environ["BINDERY_TOKEN"])
    with ApiClient(settings) as client:
        quotes, documents = QuotesApi(client), DocumentsApi(client)
        asked = CreateQuotesRequest.from_dict(REQUEST)
        receipt = quotes.create_quotes(asked, idempotency_key=str(uuid.uuid4()))
        identifier = str(receipt.quotes[0].quote_identifier)
        quote = wait(quotes, identifier)
        application = DemoApi(client).signed_application(identifier)
        signature = next(owed for owed in quote.contingencies if "signed" in owed.text)
        upload = documents.upload_document(
            quote_identifier=identifier,
            file=("application.pdf", bytes(application)),
            contingency=signature.contingency_id,
        )
        effective = (datetime.now(UTC) + timedelta(days=7)).date().isoformat()
        bound = BindsApi(client).bind_quote(
            BindRequest.from_dict(
                {
                    "quote_identifier": identifier,
                    "app_attestation": True,
                    "dates": {"effective": effective},
                }
            )
        )
        policy = documents.download_document("policy", identifier)
        events = WebhooksApi(client).list_events(quote_identifier=identifier)
        report = {
            "status": quote.quote_status.value,
            "finding": upload.finding.value,
            "outcome": bound.quotes[0].outcome.value,
            "policy_pdf": bytes(policy)[:5].decode(),
            "metadata": quote.client.to_dict()["metadata"],
            "events": [event.actual_instance.type for event in events.events],
            "unknown": code_of_unknown(quotes),
        }
    sys.stdout.write(json.dumps(report))


def wait(quotes: QuotesApi, identifier: str) -> QuoteBody:
    while not isinstance(quote := quotes.get_quote(identifier, prefer="wait=20"), QuoteBody):
        pass
    return quote


def code_of_unknown(quotes: QuotesApi) -> str:
    try:
        quotes.get_quote(str(uuid.uuid4()))
    except NotFoundException as refusal:
        return str(json.loads(refusal.body)["code"])
    return "found"


if __name__ == "__main__":
    main()
