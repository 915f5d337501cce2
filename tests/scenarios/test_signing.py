"""An application is signed on the client's page: before the bind, and on a conditional binder."""

from bindery.domain.signing.client_link import LinkStatus
from support.binding import ask_to_bind, bind, one_quoted, shown, told
from support.service import Service
from support.signing import found_link, opened, sent, signed


async def test_a_signature_made_on_the_page_lets_the_bind_issue_at_once(service: Service) -> None:
    quote = await one_quoted(service)
    link = await sent(service, quote)
    await opened(service, link)

    made = await signed(service, link)

    assert not made.is_issued
    assert (await found_link(service, link)).status is LinkStatus.SIGNED
    (upload,) = (await shown(service, quote["quote_identifier"]))["uploads"]
    assert upload["signature"] == "found"
    assert upload["finding"] == "matched"
    assert upload["pages"]["found"] == upload["pages"]["of"] > 1
    assert await service.count("desk_items") == 0
    answer = await ask_to_bind(service, quote, app_attestation=True)
    assert answer.json()["quotes"][0]["outcome"] == "policy_issued"


async def test_a_signature_on_a_conditional_binder_closes_it_and_issues_the_policy(service: Service) -> None:
    quote = await one_quoted(service)
    await bind(service, quote)
    link = await sent(service, quote)
    await opened(service, link)

    made = await signed(service, link)

    assert made.is_issued
    after = await shown(service, quote["quote_identifier"])
    (owed,) = after["contingencies"]
    assert (owed["status"], owed["closed_as"]) == ("closed", "fulfilled")
    assert owed["closed_reason"].startswith("Signed electronically by Ann Example on ")
    assert (await told(service, quote["quote_identifier"]))[-4:] == [
        "signature_request.opened",
        "signature_request.signed",
        "quote.contingency_changed",
        "policy.issued",
    ]
