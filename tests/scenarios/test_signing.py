"""An application is signed on the client's page: before the bind, and on a conditional binder."""

from datetime import date, timedelta

import pytest

from bindery.actions.documents.find_seal_key import find_seal_key
from bindery.base.errors import InvalidRequest, WrongState
from bindery.domain.signing.client_link import LinkEnded, LinkPurpose, LinkStatus
from bindery.domain.signing.signing import CONSENT, NoLonger, TermsNoLongerHold, hash_of_text
from bindery.storage.signing import signatures
from documents.reading import text_of
from support.binding import ask_to_bind, bind, decide, one_quoted, quoted, set_day, shown, today, told
from support.service import Service
from support.signing import (
    EMAIL,
    VISIT,
    ask_for,
    both,
    chosen_option,
    found_link,
    opened,
    replaced,
    sent,
    sent_back,
    signed,
    signing,
)


async def counts(service: Service) -> list[int]:
    return [await service.count(table) for table in ("uploads", "signatures", "journal", "mails")]


async def test_a_signature_made_on_the_page_lets_the_bind_issue_at_once(service: Service) -> None:
    quote = await one_quoted(service)
    link = await sent(service, quote)
    await opened(service, link)

    made = await signed(service, link)

    assert not made.is_issued
    assert (await found_link(service, link)).status is LinkStatus.SIGNED
    (upload,) = (await shown(service, quote["quote_identifier"]))["uploads"]
    assert (upload["finding"], upload["signature"]) == ("matched", "found")
    assert upload["signed_electronically"] is True
    assert upload["pages"]["found"] == upload["pages"]["of"] > 1
    assert upload["document_id"] == str(made.signature.document_id)
    assert await service.count("desk_items") == 0
    answer = await ask_to_bind(service, quote, app_attestation=True)
    assert answer.json()["quotes"][0]["outcome"] == "policy_issued"
    (owed,) = (await shown(service, quote["quote_identifier"]))["contingencies"]
    assert owed["closed_as"] == "attested"


async def test_everything_is_kept_that_proves_a_signature(service: Service) -> None:
    quote = await one_quoted(service)
    link = await sent(service, quote)
    terms = (await opened(service, link)).standing

    await signed(service, link, name=" Dana Cohen ", title="Controller")

    async with service.runtime.database.reading() as tx:
        kept = await signatures.find(tx, link.link_id)
        rows = await tx.connection.fetch("select sha256 from documents where type = 'application'")
    assert kept is not None
    assert terms is not None
    assert (kept.name, kept.title, kept.email) == ("Dana Cohen", "Controller", EMAIL)
    assert (kept.address, kept.agent) == (VISIT.address, VISIT.agent)
    assert (kept.consent, kept.consent_sha256) == (CONSENT, hash_of_text(CONSENT))
    assert kept.version == terms.terms.version
    assert kept.shown_sha256 == rows[0]["sha256"]
    stored = await service.runtime.blobs.get(kept.signed_sha256)
    assert text_of(stored).count("Dana Cohen") == 3
    assert kept.signed_sha256 != kept.shown_sha256
    assert kept.certificate_sha256 == (await find_seal_key(service.runtime)).sha256.hex()
    assert not kept.is_stamped


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


async def test_a_binder_that_owes_something_else_stays_one(service: Service) -> None:
    quote = await one_quoted(service)
    await bind(service, quote)
    owed = {"type": "post_bind", "text": "A copy of the backup plan"}
    await decide(service, quote, "add_contingency", contingency=owed)

    made = await signed(service, await sent(service, quote))

    assert not made.is_issued
    after = await shown(service, quote["quote_identifier"])
    assert [row["status"] for row in after["contingencies"]] == ["closed", "open"]
    assert (await told(service, quote["quote_identifier"]))[-1] == "quote.contingency_changed"


async def test_a_bind_without_attestation_issues_what_was_signed_within_45_days(service: Service) -> None:
    fresh, old = await one_quoted(service), await one_quoted(service)
    for quote in (fresh, old):
        await signed(service, await sent(service, quote))
    signed_on = await today(service)

    await set_day(service, signed_on + timedelta(days=45))
    on_the_last_day = await ask_to_bind(service, fresh, dates={"effective": str(signed_on + timedelta(50))})
    await set_day(service, signed_on + timedelta(days=46))
    too_late = await ask_to_bind(service, old, dates={"effective": str(signed_on + timedelta(50))})

    assert on_the_last_day.json()["quotes"][0]["outcome"] == "policy_issued"
    assert too_late.json()["quotes"][0]["outcome"] == "conditional_binder"
    (owed,) = (await shown(service, fresh["quote_identifier"]))["contingencies"]
    assert owed["closed_as"] == "fulfilled"


async def test_a_bind_that_an_underwriter_approves_needs_no_signature_again(service: Service) -> None:
    quote = await one_quoted(service)
    owed = {"type": "pre_bind", "text": "A list of subsidiaries"}
    await decide(service, quote, "add_contingency", contingency=owed)
    await bind(service, quote)
    assert (await signed(service, await sent(service, quote))).is_issued is False

    await decide(service, quote, "approve")

    assert (await told(service, quote["quote_identifier"]))[-1] == "policy.issued"


async def test_asked_for_again_it_can_be_signed_again(service: Service) -> None:
    quote = await one_quoted(service)
    await signed(service, await sent(service, quote))
    with pytest.raises(WrongState, match="signed already"):
        await sent(service, quote)

    await service.runtime.database.pool.execute(
        "update contingencies set asked_again_at = now() + interval '1 second'"
    )
    await set_day(service, date.fromisoformat(quote["dates"]["effective"]) + timedelta(days=3))
    await signed(service, await sent(service, quote))

    assert await service.count("signatures") == 2


async def test_a_client_chooses_an_option_of_a_proposal_and_signs_that_one(service: Service) -> None:
    first, second = await quoted(service)
    link = await sent(service, first, purpose=LinkPurpose.PROPOSAL, option_ids=both(first, second))
    await opened(service, link)

    of_first = await ask_for(service, link)
    await chosen_option(service, link, second)
    await chosen_option(service, link, second)
    with pytest.raises(TermsNoLongerHold, match="Another option was chosen"):
        await signing(service, of_first)
    made = await signed(service, link)

    assert str(made.signature.quote_id) == second["quote_identifier"]
    steps = [entry.trigger for entry in await service.journal(second["quote_identifier"])]
    assert steps[-2:] == ["choose_option", "sign_application"]
    with pytest.raises(InvalidRequest, match="signed already"):
        await chosen_option(service, link, first)


async def test_only_options_of_the_proposal_can_be_chosen(service: Service) -> None:
    first, second = await quoted(service)
    stranger = await one_quoted(service)
    with pytest.raises(InvalidRequest) as refused:
        await sent(service, first, purpose=LinkPurpose.PROPOSAL, option_ids=both(first, stranger))
    assert refused.value.problems[0].code == "not_offered"

    link = await sent(service, first, purpose=LinkPurpose.PROPOSAL, option_ids=both(first))

    with pytest.raises(InvalidRequest, match="not one of the options"):
        await chosen_option(service, link, second)
    await service.post(f"/v2/quotes/{first['quote_identifier']}/withdraw")
    with pytest.raises(TermsNoLongerHold, match="withdrawn"):
        await chosen_option(service, link, first)


async def test_something_wrong_goes_back_to_the_broker_once(service: Service) -> None:
    quote = await one_quoted(service)
    link = await sent(service, quote)

    for _ in range(2):
        back = await sent_back(service, link, " We have 14 employees, not 40. ")

    assert (back.status, back.said) == (LinkStatus.DECLINED, "We have 14 employees, not 40.")
    assert (await told(service, quote["quote_identifier"])).count("signature_request.declined") == 1
    rows = await service.runtime.database.pool.fetch(
        "select recipients, body from mails where kind like 'signature_declined%'"
    )
    assert [row["recipients"] for row in rows] == [["broker@example.com"]]
    assert "We have 14 employees, not 40." in rows[0]["body"]
    with pytest.raises(LinkEnded):
        await signed(service, link)


@pytest.mark.parametrize("text", ["", "  ", "x" * 2_001, "\u202e"])
async def test_nothing_is_sent_back_without_a_readable_text(service: Service, text: str) -> None:
    quote = await one_quoted(service)
    link = await sent(service, quote)
    before = await counts(service)

    with pytest.raises(InvalidRequest) as refused:
        await sent_back(service, link, text)

    assert [problem.path for problem in refused.value.problems] == ["text"]
    assert await counts(service) == before


async def test_nothing_is_signed_for_terms_that_no_longer_hold(
    service: Service, subtests: pytest.Subtests
) -> None:
    withdrawn, changed, bound, amended, expired = [await one_quoted(service) for _ in range(5)]
    links = [await sent(service, quote) for quote in (withdrawn, changed, bound, amended, expired)]
    asks = [await ask_for(service, link) for link in links]
    await service.post(f"/v2/quotes/{withdrawn['quote_identifier']}/withdraw")
    owed = {"type": "post_bind", "text": "A copy of the backup plan"}
    await decide(service, changed, "add_contingency", contingency=owed)
    await bind(service, bound)
    terms = {"aggregate_retention": 25_000}
    await decide(service, amended, "amend", terms=terms, reason="The loss runs came in.")
    before = await counts(service)

    reasons = (NoLonger.WITHDRAWN, NoLonger.CHANGED, NoLonger.BOUND, NoLonger.CHANGED)
    for ask, because in zip(asks[:4], reasons, strict=True):
        with subtests.test(because.value), pytest.raises(TermsNoLongerHold) as refused:
            await signing(service, ask)
        assert refused.value.because is because
    assert await counts(service) == before

    # Whoever reads the page again signs with the same code.
    for link, ask in zip(links[1:4], asks[1:4], strict=True):
        await signing(service, await replaced(service, link, ask))
    async with service.runtime.database.reading() as tx:
        today = tx.today
    await set_day(service, today + timedelta(days=29))
    await service.runtime.database.pool.execute(
        "update quotes set expires_on = $2 where quote_id = $1", expired["quote_identifier"], today
    )
    with pytest.raises(TermsNoLongerHold, match="This offer ended"):
        await signing(service, asks[4])
