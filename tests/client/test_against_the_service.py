"""Both clients against a demo service in another process."""

import json
from collections.abc import AsyncIterator, Iterator

import msgspec
import pytest

from bindery.client import ApiError, AsyncBindery, Bindery
from bindery.contract.errors import NotReadyBody
from bindery.contract.quote import QuoteBody
from bindery.contract.quotes import CreateQuotesRequest
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from support.processes import Running
from support.service import request_body

UNKNOWN = "01890000-0000-7000-8000-000000000000"


@pytest.fixture
def client(demo: Running) -> Iterator[Bindery]:
    with Bindery(demo.token, f"{demo.url}/v2") as opened:
        yield opened


@pytest.fixture
async def async_client(demo: Running) -> AsyncIterator[AsyncBindery]:
    async with AsyncBindery(demo.token, f"{demo.url}/v2") as opened:
        yield opened


def test_a_request_is_sent_as_a_struct_and_followed_to_its_price(client: Bindery) -> None:
    request = msgspec.convert(request_body(), CreateQuotesRequest)

    receipt = client.create_quotes(request)
    quotes = [client.wait_for_quote(option.quote_identifier) for option in receipt.quotes]

    assert [option.requested_aggregate_limit for option in receipt.quotes] == [1_000_000, 2_000_000]
    assert [quote.premium for quote in quotes] == [1536, 2101]
    assert {quote.quote_status for quote in quotes} == {QuoteStatus.PUBLISHED}
    assert {quote.company_id for quote in quotes} == {receipt.company_id}


def test_a_document_is_downloaded(client: Bindery) -> None:
    receipt = client.create_quotes(request_body())
    quote = client.wait_for_quote(receipt.quotes[0].quote_identifier)

    letter = client.download("quote_letter", quote.quote_identifier)

    assert letter.startswith(b"%PDF-")
    assert client.download("quote_letter", quote.quote_identifier) == letter


async def test_a_document_that_the_status_does_not_have_is_refused(async_client: AsyncBindery) -> None:
    receipt = await async_client.create_quotes(request_body())
    quote = await async_client.wait_for_quote(receipt.quotes[0].quote_identifier)

    assert (await async_client.download("application", quote.quote_identifier)).startswith(b"%PDF-")
    with pytest.raises(ApiError) as refusal:
        await async_client.download("policy", quote.quote_identifier)

    assert (refusal.value.status, refusal.value.code) == (400, "wrong_state")


async def test_the_asynchronous_client_gives_the_same(async_client: AsyncBindery) -> None:
    receipt = await async_client.create_quotes(request_body())
    quote = await async_client.wait_for_quote(receipt.quotes[1].quote_identifier)

    assert isinstance(quote, QuoteBody)
    assert quote.premium == 2101
    assert quote.insurance_product is InsuranceProduct.CYB


def test_json_already_written_is_sent_as_it_is(client: Bindery) -> None:
    receipt = client.create_quotes(json.dumps(request_body()).encode())

    assert len(receipt.quotes) == 2


def test_a_key_of_the_callers_own_is_answered_with_the_first_receipt(client: Bindery) -> None:
    first = client.create_quotes(request_body(), idempotency_key="order-1")
    again = client.create_quotes(request_body(), idempotency_key="order-1")
    other = client.create_quotes(request_body())

    assert again == first
    assert other.company_id != first.company_id


def test_a_refusal_carries_every_problem(client: Bindery) -> None:
    body = request_body(lambda b: b["client"].update(name="", revenue=0))

    with pytest.raises(ApiError) as refused:
        client.create_quotes(body)

    fault = refused.value
    assert (fault.status, fault.code) == (400, "invalid_request")
    assert {problem.path for problem in fault.problems} >= {"client.name", "client.revenue"}
    assert fault.request_id.startswith("req_")
    assert fault.message == str(fault)


def test_a_broker_of_record_block_carries_its_reasons(client: Bindery) -> None:
    body = request_body(lambda b: b["client"].update(name="Harborlight Bakery LLC (bor)"))

    with pytest.raises(ApiError) as refused:
        client.create_quotes(body)

    assert refused.value.reasons == {"domain": "domain_exists", "address": "address_exists"}


def test_checking_a_request_says_what_is_missing(client: Bindery) -> None:
    good = client.validate_quotes(request_body())
    bad = client.validate_quotes(request_body(lambda b: b["questions"].pop()))

    assert (good.valid, good.errors, good.missing) == (True, [], [])
    assert (bad.valid, bad.missing) == (False, ["Q2147"])


def test_a_quote_that_is_being_worked_on_is_shown_as_such(client: Bindery) -> None:
    body = request_body(lambda b: b["client"].update(domains=["slow.example.com"]))
    identifier = client.create_quotes(body).quotes[0].quote_identifier

    seen = client.get_quote(identifier)
    with pytest.raises(ApiError) as given_up:
        client.wait_for_quote(identifier, timeout_s=0.5)

    assert isinstance(seen, NotReadyBody)
    assert (given_up.value.status, given_up.value.code) == (202, "not_ready")


def test_an_unknown_quote_is_an_error(client: Bindery) -> None:
    with pytest.raises(ApiError) as refused:
        client.get_quote(UNKNOWN)

    assert (refused.value.status, refused.value.code) == (404, "not_found")


def test_an_identifier_cannot_lead_to_another_path(client: Bindery) -> None:
    with pytest.raises(ApiError) as refused:
        client.get_quote("../health_check")

    assert refused.value.status in {400, 404}


def test_a_wrong_token_is_an_error(demo: Running) -> None:
    with Bindery("not-a-token", f"{demo.url}/v2") as stranger, pytest.raises(ApiError) as refused:
        stranger.get_questions("CYB")

    assert refused.value.status == 401


async def test_questions_and_health(client: Bindery, async_client: AsyncBindery) -> None:
    questions = client.get_questions("MPL")

    assert questions.product is InsuranceProduct.MPL
    assert questions.questions[0].id == "Q2401"
    assert await async_client.get_questions("MPL") == questions
    assert client.health_check().healthy
    assert (await async_client.health_check()).healthy
