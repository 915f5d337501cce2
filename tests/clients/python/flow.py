"""A partner's program on the client that openapi-python-client makes: from a quote to a policy."""

import json
import os
import sys
import time
import uuid
from datetime import UTC, datetime, timedelta
from io import BytesIO

import httpx
from bindery_api import AuthenticatedClient
from bindery_api.api.binds import bind_quote
from bindery_api.api.demo import signed_application
from bindery_api.api.documents import download_document, upload_document
from bindery_api.api.quotes import create_quotes, get_quote
from bindery_api.api.webhooks import list_events
from bindery_api.models.address import Address
from bindery_api.models.bind_request import BindRequest
from bindery_api.models.bind_response import BindResponse
from bindery_api.models.client import Client
from bindery_api.models.client_metadata import ClientMetadata
from bindery_api.models.contingency_body import ContingencyBody
from bindery_api.models.create_quotes_request import CreateQuotesRequest
from bindery_api.models.create_quotes_response import CreateQuotesResponse
from bindery_api.models.download_document_document_type import DownloadDocumentDocumentType as DocumentType
from bindery_api.models.error_body import ErrorBody
from bindery_api.models.events_response import EventsResponse
from bindery_api.models.insurance_product import InsuranceProduct
from bindery_api.models.not_ready_body import NotReadyBody
from bindery_api.models.policy import Policy
from bindery_api.models.policy_dates import PolicyDates
from bindery_api.models.question import Question
from bindery_api.models.quote_body import QuoteBody
from bindery_api.models.quote_option import QuoteOption
from bindery_api.models.quote_option_aggregate_limit import QuoteOptionAggregateLimit
from bindery_api.models.upload_form import UploadForm
from bindery_api.models.upload_receipt import UploadReceipt
from bindery_api.types import File

REQUEST = CreateQuotesRequest(
    client=Client(
        name=os.environ["BINDERY_COMPANY"],
        revenue=2_500_000,
        broker_email="broker@example.com",
        address=Address(street="1200 Market Street", city="Philadelphia", zip_="19107", state="PA"),
        domains=["clean.example.com"],
        industry="311812",
        metadata=ClientMetadata.from_dict({"crm": "A-17"}),
    ),
    policy=Policy(
        insurance_product=InsuranceProduct.CYB,
        quotes=[QuoteOption(aggregate_limit=QuoteOptionAggregateLimit.VALUE_1000000)],
    ),
    questions=[
        Question(id="Q2134", value=True),
        Question(id="Q2314", value=35),
        Question(id="Q2244", value=["None of the above"]),
        Question(id="Q2159", value=False),
        Question(id="Q2142", value=True),
        Question(id="Q2300", value=True),
        Question(id="Q2301", value=True),
        Question(id="Q2146", value=False),
        Question(id="Q2147", value=False),
    ],
)


def main() -> None:
    client = AuthenticatedClient(
        base_url=os.environ["BINDERY_URL"],
        token=os.environ["BINDERY_TOKEN"],
        raise_on_unexpected_status=True,
        # By itself it waits for 5 seconds, less than a request may ask to be held.
        timeout=httpx.Timeout(300),
    )
    receipt = create_quotes.sync(client=client, body=REQUEST, idempotency_key=str(uuid.uuid4()))
    assert isinstance(receipt, CreateQuotesResponse), receipt
    identifier = str(receipt.quotes[0].quote_identifier)
    quote = wait(client, identifier)
    download(client, DocumentType.APPLICATION, identifier)
    application = signed_application.sync(identifier, client=client)
    assert isinstance(application, File), application
    upload = upload_document.sync(
        client=client,
        body=UploadForm(
            quote_identifier=identifier,
            contingency=signature_of(quote).contingency_id,
            file=File(
                BytesIO(application.payload.read()), file_name="application.pdf", mime_type="application/pdf"
            ),
        ),
    )
    assert isinstance(upload, UploadReceipt), upload
    effective = (datetime.now(UTC) + timedelta(days=7)).date()
    bound = bind_quote.sync(
        client=client,
        body=BindRequest(
            quote_identifier=identifier,
            app_attestation=True,
            dates=PolicyDates(effective=effective),
        ),
    )
    assert isinstance(bound, BindResponse), bound
    policy = download(client, DocumentType.POLICY, identifier)
    events = list_events.sync(client=client, quote_identifier=identifier)
    assert isinstance(events, EventsResponse), events
    unknown = get_quote.sync(str(uuid.uuid4()), client=client)
    assert isinstance(unknown, ErrorBody), unknown
    report = {
        "status": quote.quote_status.value,
        "finding": upload.finding.value,
        "outcome": bound.quotes[0].outcome.value,
        "policy_pdf": policy[:5].decode(),
        "metadata": quote.client.to_dict()["metadata"],
        "events": [event.to_dict()["type"] for event in events.events],
        "unknown": unknown.to_dict()["code"],
    }
    sys.stdout.write(json.dumps(report))


def wait(client: AuthenticatedClient, identifier: str) -> QuoteBody:
    while isinstance(quote := get_quote.sync(identifier, client=client, prefer="wait=20"), NotReadyBody):
        pass
    assert isinstance(quote, QuoteBody), quote
    return quote


def download(client: AuthenticatedClient, document_type: DocumentType, identifier: str) -> bytes:
    while isinstance(
        document := download_document.sync(document_type, identifier, client=client), NotReadyBody
    ):
        time.sleep(1)
    assert isinstance(document, File), document
    return document.payload.read()


def signature_of(quote: QuoteBody) -> ContingencyBody:
    return next(contingency for contingency in quote.contingencies if "signed" in contingency.text)


if __name__ == "__main__":
    main()
