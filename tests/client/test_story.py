"""From a request to a policy and its events, with both clients."""

from datetime import timedelta

import pytest

from bindery.client import ApiError, AsyncBindery, Bindery
from bindery.contract.binds import BindOutcome
from bindery.contract.documents import SignatureFinding, UploadFinding
from bindery.contract.vocabulary import QuoteStatus
from support.papers import signed
from support.processes import Running
from support.service import request_body


def test_a_request_becomes_a_policy(demo: Running) -> None:
    with Bindery(demo.token, f"{demo.url}/v2") as bindery:
        quote, other = bindery.quote(request_body())
        upload = bindery.sign_and_upload(quote, signed)
        bound = bindery.bind(quote, attested=True)
        policy = bindery.download("policy", bound)
        events = list(bindery.events(quote=quote))
        forms = bindery.packet_metadata(bound, "policy")

        assert (upload.finding, upload.signature) == (UploadFinding.MATCHED, SignatureFinding.FOUND)
        assert bound.outcome is BindOutcome.POLICY_ISSUED
        assert policy.startswith(b"%PDF-")
        assert [event.type for event in events[:1]] == ["quote.published"]
        assert "policy.issued" in {event.type for event in events}
        assert forms.documents
        assert bindery.wait_for_quote(other).quote_status is QuoteStatus.QUOTE_NOT_BOUND
        with pytest.raises(ValueError, match="does not need a signed application"):
            bindery.sign_and_upload(bound.quote_identifier, signed)
        assert "paused" in bindery.pause_renewal(bound).message.lower()


async def test_a_conditional_binder_starts_on_another_day(demo: Running) -> None:
    async with AsyncBindery(demo.token, f"{demo.url}/v2") as bindery:
        receipt = await bindery.create_quotes(request_body())
        quote = await bindery.wait_for_quote(receipt.quotes[0])
        later = quote.dates.effective + timedelta(days=9)

        bound = await bindery.bind(receipt.quotes[0], effective=later)

        assert bound.outcome is BindOutcome.CONDITIONAL_BINDER
        assert (await bindery.wait_for_quote(bound)).dates.effective == later
        assert (await bindery.download("binder", bound)).startswith(b"%PDF-")
        with pytest.raises(ApiError, match="Still owed") as refused:
            await bindery.download("policy", bound)
        assert refused.value.code == "not_issued"


async def test_a_document_is_waited_for(demo: Running) -> None:
    async with AsyncBindery(demo.token, f"{demo.url}/v2") as bindery:
        receipt = await bindery.create_quotes(request_body())

        assert (await bindery.download("quote_letter", receipt.quotes[1])).startswith(b"%PDF-")


def test_the_feed_is_read_page_by_page_and_gone_on_with(demo: Running) -> None:
    with Bindery(demo.token, f"{demo.url}/v2") as bindery:
        before = bindery.list_events(limit=500).next_cursor
        first, second = bindery.quote(request_body())

        pages = list(bindery.event_pages(after=before, event_type="quote.published", limit=1))
        told = [event.data["quote_identifier"] for page in pages for event in page.events]

        assert sorted(told) == sorted([first.quote_identifier, second.quote_identifier])
        assert len(pages) == 2
        assert list(bindery.events(after=pages[-1].next_cursor, event_type="quote.published")) == []


async def test_a_webhook_is_registered_tried_and_removed(demo: Running) -> None:
    async with AsyncBindery(demo.token, f"{demo.url}/v2") as bindery:
        secret = await bindery.set_webhook_secret()
        webhook = await bindery.register_webhook("http://127.0.0.1:9/", policy_level=False)
        await bindery.fail_webhook(webhook.id, 3)
        pings = {(await bindery.ping_webhook(webhook.id)).event_id for _ in range(3)}

        # What other tests have started may be told in the meantime.
        seen = [row.event_id async for row in bindery.deliveries(webhook.id) if row.event_id in pings]
        pages = bindery.pages(lambda cursor: bindery.list_deliveries(webhook.id, cursor=cursor, limit=1))
        by_page = [row.event_id async for page in pages for row in page.deliveries if row.event_id in pings]
        replayed = await bindery.replay_deliveries(webhook.id, since=webhook.created_at)
        removed = await bindery.remove_webhook(webhook.id)

        assert secret.secret.startswith("whsec_")
        assert set(seen) == pings
        assert by_page == seen
        assert replayed.next_since is None
        assert removed.status == "removed"
        assert webhook.id not in {row.id for row in (await bindery.list_webhooks()).webhooks}


async def test_a_policy_is_changed_and_asked_to_be_canceled(demo: Running) -> None:
    with Bindery(demo.token, f"{demo.url}/v2") as bindery:
        quote, _ = bindery.quote(request_body())
        bindery.sign_and_upload(quote, signed)
        policy = bindery.bind(quote, attested=True).quote_identifier
        day = bindery.wait_for_quote(policy).dates.effective
        more = {"aggregate_limit": 2_000_000}
        asked = {"effective": day.isoformat(), "changes": more, "reason": "A customer asks for it."}

        first = bindery.ask_for_change(policy, asked)
        withdrawn = bindery.withdraw_change(policy, first.change_id)
        second = bindery.ask_for_change(policy, asked)
        issued = bindery.accept_change(policy, second.change_id, idempotency_key="change-1")

        assert [first.status, withdrawn.status, issued.status] == ["quoted", "withdrawn", "issued"]
        assert issued.premium_difference > 0
        assert bindery.get_change(policy, second.change_id) == issued
        assert bindery.list_changes(policy).changes == [issued, withdrawn]
        bindery.request_cancellation(policy, effective=day, reason="insured_request", text="Closing.")
    async with AsyncBindery(demo.token, f"{demo.url}/v2") as others:
        assert (await others.list_changes(policy)).changes == [issued, withdrawn]


def test_the_demo_plays_the_underwriter_and_moves_its_clock(demo: Running) -> None:
    body = request_body(lambda b: b["client"].update(domains=["red-flags.example.com"]))
    with Bindery(demo.token, f"{demo.url}/v2") as bindery:
        referred = bindery.quote(body)[0]
        approved = bindery.review_quote(referred, {"decision": "approve", "reason": "Looked at."})
        before = bindery.show_clock().now

        assert referred.quote_status is QuoteStatus.QUOTE_REFERRED
        assert approved.quote_status is QuoteStatus.PUBLISHED
        assert bindery.move_clock(0).now >= before


def test_lists_are_read_row_by_row(demo: Running) -> None:
    with Bindery(demo.token, f"{demo.url}/v2") as bindery:
        request = request_body()
        request["client"]["metadata"] = {"crm": "story-of-lists"}
        quotes = bindery.quote(request)
        mine: dict[str, str | int] = {"metadata.crm": "story-of-lists", "limit": 1}

        listed = [row.quote_identifier for row in bindery.quotes(mine)]
        companies = [row.company_id for row in bindery.companies(mine)]
        company = bindery.get_company(companies[0])

        assert listed == [quote.quote_identifier for quote in quotes]
        assert companies == [quotes[0].company_id]
        assert [len(row.options) for row in company.submissions] == [len(quotes)]
        assert list(bindery.policies(mine)) == []
        assert bindery.withdraw_quote(quotes[0]).quote_status == "quote_revoked"


def test_a_client_is_asked_to_sign(demo: Running) -> None:
    with Bindery(demo.token, f"{demo.url}/v2") as bindery:
        quote, *_ = bindery.quote(request_body())
        sent = bindery.request_signature(quote, email="ann@harborlight.example", message="Soon.")
        again = bindery.request_signature(quote, email="ann@harborlight.example")

        listed = bindery.list_signature_requests(quote).signature_requests
        found = bindery.get_signature_request(quote, sent.signature_request_id)
        back = bindery.revoke_signature_request(quote, again.signature_request_id)

        assert [row.signature_request_id for row in listed] == [
            again.signature_request_id,
            sent.signature_request_id,
        ]
        assert (found.status, back.status) == ("revoked", "revoked")


def test_what_may_be_asked_for_is_told(demo: Running) -> None:
    with Bindery(demo.token, f"{demo.url}/v2") as bindery:
        bakeries = bindery.list_industries("bakery", limit=3)
        product = bindery.get_product("CYB")
        price = bindery.indicate_price({"name": "A", "revenue": 2_500_000, "state": "PA"})
        left = bindery.get_questions("CYB", {"revenue": 2_500_000, "answer.Q2134": "true"})

        assert all("baker" in row.title.lower() for row in bakeries.industries)
        assert 1_000_000 in product.aggregate_limits
        assert price.premium.low < price.premium.high
        assert left.missing
        assert "Q2134" not in left.missing
