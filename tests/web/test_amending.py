"""An open offer is amended and withdrawn on the page of its case, within guidelines and authority."""

import re
import uuid
from typing import Any

from bindery.domain.access.users import Role
from bindery.storage.access import users
from documents.reading import text_of as paper_text
from support.binding import bind, decide, issue, one_quoted, quoted, shown, status_of
from support.journals import flaws_in_journal
from support.people import Person, fields_of, sign_in_as, text_of
from support.service import Service, request_body
from support.underwriters import give_letter

WHY = "The loss runs came in."


async def path_of(service: Service, quote: dict[str, Any]) -> str:
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )
    return f"/desk/case/{submission_id}"


async def user_of(service: Service, person: Person) -> Any:
    async with service.runtime.database.reading() as tx:
        found = await users.find_by_email(tx, person.email)
    assert found is not None
    return found[0]


def red_flags(body: dict[str, Any]) -> None:
    body["client"]["domains"] = ["red-flags.example.com"]


async def preview(person: Person, path: str, form: dict[str, Any]) -> str:
    answer = await person.http.post(
        f"{path}/preview", data=form, headers={"Origin": person.origin, "X-Part": "worksheet"}
    )
    assert answer.status_code == 200, answer.text
    return answer.text


async def test_an_open_offer_is_amended_with_its_price_shown_before(
    service: Service, underwriter: Person
) -> None:
    quote = await one_quoted(service)
    identifier, path = quote["quote_identifier"], await path_of(service, quote)
    form = fields_of(await underwriter.open(path), f"{path}/decide")

    typed = {**form, "aggregate_retention": "25000", "reason": WHY}
    unseen = text_of(await underwriter.send(f"{path}/decide", status=422, **typed, decision="amend"))
    page = await underwriter.send(f"{path}/preview", **typed, decision="")
    done = await underwriter.send(
        f"{path}/decide", **{**fields_of(page, f"{path}/decide"), "decision": "amend"}
    )

    assert "The premium is now" in unseen
    after = await shown(service, identifier)
    assert f"Amends option 1 to ${after['premium']:,}, open until" in text_of(page)
    assert f"Option 1 is amended and open at ${after['premium']:,}." in text_of(done)
    assert (after["quote_status"], after["aggregate_retention"]) == ("published", 25_000)
    assert after["decision"]["reason"] == WHY


async def test_an_offer_is_withdrawn_after_a_page_that_says_what_follows(
    service: Service, underwriter: Person, broker: Person
) -> None:
    quote = await one_quoted(service)
    identifier, path = quote["quote_identifier"], await path_of(service, quote)
    page = await underwriter.open(path)
    form = fields_of(page, f"{path}/decide")
    (sure,) = re.findall(r'formaction="(/sure\?step=withdraw[^"]+)"', page)

    asked = await underwriter.send(sure.replace("&amp;", "&"), **form, decision="withdraw")
    unexplained = await underwriter.send(f"{path}/decide", status=422, **form, decision="withdraw")
    sent = {**fields_of(asked, f"{path}/decide"), "decision": "withdraw", "reason": "A slip"}
    await underwriter.send(f"{path}/decide", **sent)

    assert "Withdraw the offer to Harborlight" in text_of(asked)
    assert "A reason is required: it goes on record." in text_of(unexplained)
    assert await status_of(service, identifier) == "quote_revoked"
    company = text_of(await broker.open(f"/company/{quote['company_id']}"))
    assert "Nothing is open. An underwriter withdrew it: A slip" in company
    assert "Option 1 Withdrawn" in company
    assert "A newer submission" not in company


async def test_who_amends_what_was_bound_meanwhile_is_told_and_keeps_the_text(
    service: Service, underwriter: Person
) -> None:
    quote = await one_quoted(service)
    path = await path_of(service, quote)
    form = fields_of(await underwriter.open(path), f"{path}/decide")
    await bind(service, quote)

    page = text_of(
        await underwriter.send(
            f"{path}/decide", status=422, **{**form, "premium": "4321", "reason": WHY, "decision": "amend"}
        )
    )

    assert "Decided in the meantime" in page
    assert "Option 1 was bound." in page
    assert f"Premium 4321 Reason {WHY}" in page
    assert await status_of(service, quote["quote_identifier"]) == "policy_active"


async def test_a_dollar_takes_a_reason_and_a_second_yes_to_exactly_that_dollar(
    service: Service, underwriter: Person
) -> None:
    quote = await one_quoted(service, red_flags)
    path = await path_of(service, quote)
    form = fields_of(await underwriter.open(path), f"{path}/decide")
    page = await underwriter.send(f"{path}/preview", **{**form, "premium": "1", "reason": WHY})
    seen = {**fields_of(page, f"{path}/decide"), "decision": "approve"}
    seen.pop("sure", None)

    unsure = await underwriter.send(f"{path}/decide", status=422, **seen)
    other = await underwriter.send(f"{path}/decide", status=422, **{**seen, "sure": "1:2"})
    await underwriter.send(f"{path}/decide", **{**seen, "sure": "1:1"})

    assert 'name="sure" value="1:1"' in page
    assert "A yes is needed a second time: $1 is below the minimum premium" in text_of(unsure)
    assert "A yes is needed a second time" in text_of(other)
    assert f">{WHY}</textarea>" in unsure
    after = await shown(service, quote["quote_identifier"])
    assert (after["quote_status"], after["premium"]) == ("published", 1)
    case = text_of(await underwriter.open(path))
    assert "Beyond the guidelines: $1 is below the minimum premium of $700" in case


async def test_each_option_has_its_own_premium_percent_and_retention(
    service: Service, underwriter: Person
) -> None:
    body = request_body(red_flags)
    body["policy"]["quotes"] = [{"aggregate_limit": limit} for limit in (1_000_000, 2_000_000, 3_000_000)]
    quotes = await quoted(service, body)
    first, second, third = [quote["quote_identifier"] for quote in quotes]
    path = await path_of(service, quotes[0])
    form = fields_of(await underwriter.open(path), f"{path}/decide")
    rated = {each: int(form[f"shown_premium-{each}"]) for each in (first, second, third)}
    typed = {
        **form,
        "options": [first, second, third],
        f"premium-{first}": str(rated[first] + 100),
        f"percent-{second}": "\u22127.5",
        "reason": WHY,
    }

    page = await underwriter.send(f"{path}/preview", **typed)
    seen = {**fields_of(page, f"{path}/decide"), "options": [first, second, third], "decision": "approve"}
    await underwriter.send(f"{path}/decide", **seen)

    assert "7.5 % below the tariff" in text_of(page)
    premiums = [(await shown(service, each))["premium"] for each in (first, second, third)]
    assert premiums == [rated[first] + 100, round(rated[second] * 0.925), rated[third]]


async def test_beyond_the_letter_the_button_sends_it_and_a_colleague_approves(
    service: Service, underwriter: Person
) -> None:
    quote = await one_quoted(service, red_flags)
    identifier, path = quote["quote_identifier"], await path_of(service, quote)
    uma = await user_of(service, underwriter)
    await give_letter(service, uma, aggregate_limit=500_000)
    async with await sign_in_as(service, Role.UNDERWRITER) as ann:
        form = fields_of(await underwriter.open(path), f"{path}/decide")
        alone = text_of(
            await underwriter.send(
                f"{path}/decide", status=422, **{**form, "decision": "approve", "reason": WHY}
            )
        )
        page = await underwriter.open(path)
        await underwriter.send(
            f"{path}/decide",
            **{
                **form,
                "decision": "send-approve",
                "reason": WHY,
                "send_to": (await user_of(service, ann)).user_id,
            },
        )
        waits = text_of(await underwriter.open(path))
        queue = text_of(await ann.open("/desk"))
        hers = await ann.open(path)
        own = await underwriter.send(
            f"{path}/second", status=422, **{**fields_of(hers, f"{path}/second"), "answer": "approved"}
        )
        done = await ann.send(f"{path}/second", **{**fields_of(hers, f"{path}/second"), "answer": "approved"})

    assert "This is beyond your authority: a limit of $1,000,000 is above $500,000." in alone
    assert f"Ask Pat Underwriter ({ann.email})." in alone
    assert 'value="send-approve"' in page
    assert "Send to Pat Underwriter for approval" in text_of(page)
    assert 'value="approve"' not in page
    assert "You wait for Pat Underwriter" in waits
    assert "Pat Underwriter waits for Pat Underwriter" in queue
    assert "Option 1: approve at" in text_of(hers)
    # What is asked of her comes first; her own decision is folded away.
    assert "Decide yourself" in text_of(hers)
    assert "Decide yourself" not in waits
    assert "must be another person than who asked" in text_of(own)
    assert "Approved and carried out." in text_of(done)
    assert await status_of(service, identifier) == "published"
    history = text_of(await underwriter.open(path))
    assert f"sent to {ann.email} for the approval at" in history
    assert f"approved as the second person for {underwriter.email}" in history
    assert await flaws_in_journal(service, identifier) == []


async def test_brokers_read_neither_guidelines_nor_authority(
    service: Service, underwriter: Person, broker: Person
) -> None:
    quote = await one_quoted(service, red_flags)
    path = await path_of(service, quote)
    form = fields_of(await underwriter.open(path), f"{path}/decide")
    page = await underwriter.send(f"{path}/preview", **{**form, "premium": "1", "reason": WHY})
    seen = {**fields_of(page, f"{path}/decide"), "decision": "approve", "sure": "1:1"}
    await underwriter.send(f"{path}/decide", **seen)

    company = text_of(await broker.open(f"/company/{quote['company_id']}"))

    assert f"approved by the underwriter: {WHY}" in company
    assert "guidelines" not in company
    assert "minimum premium" not in company


async def test_enter_decides_nothing_on_any_form_of_a_case(service: Service, underwriter: Person) -> None:
    """The browser presses the first button of the form."""
    requested = await one_quoted(service, lambda body: body["client"].update(name="Careful (prebind)"))
    await bind(service, requested)
    opened = await one_quoted(service, lambda body: body["client"].update(name="Open Ltd"))
    waiting = await one_quoted(service, red_flags)

    for quote in (requested, opened, waiting):
        path = await path_of(service, quote)
        page = await underwriter.open(path)
        form = page.partition('id="decide"')[2].partition("</form>")[0]
        first = re.findall(r"<button\b[^>]*>", form)[0]
        assert 'value=""' in first
        assert f"{path}/preview" in first


async def test_several_subjectivities_of_the_list_are_ticked_filled_in_and_printed(
    service: Service, underwriter: Person
) -> None:
    quote = await one_quoted(service, red_flags)
    identifier, path = quote["quote_identifier"], await path_of(service, quote)
    page = await underwriter.open(path)
    form = fields_of(page, f"{path}/decide")
    ticked = {**form, "subjectivity": ["findings_closed", "backups_tested"], "reason": WHY}
    listed = text_of(page).partition("From the list")[2]

    blank = await underwriter.send(f"{path}/decide", status=422, **{**ticked, "decision": "approve"})
    filled = {**ticked, "blank-findings_closed-findings": "open RDP", "blank-backups_tested-days": "45"}
    await underwriter.send(
        f"{path}/decide", **{**filled, "contingency_text": "A free one", "decision": "approve"}
    )

    assert listed.index("these findings are closed") < listed.index("Others")
    assert 'name="subjectivity" value="findings_closed" checked' not in page
    assert "The blank “findings” of “findings closed” has to be filled in." in text_of(blank)
    assert 'name="subjectivity" value="backups_tested" checked' in blank
    owed = [(each["type"], each["text"]) for each in (await shown(service, identifier))["contingencies"]]
    closed = "Proof before the bind that these findings are closed: open RDP"
    tested = (
        "Evidence within 45 days of the bind that backups are kept offline or immutable and that restoring "
        "them was tested"
    )
    assert owed[-3:] == [("pre_bind", closed), ("post_bind", tested), ("post_bind", "A free one")]
    for kind in ("quote_letter", "comparison"):
        paper = paper_text((await service.get(f"/v2/quotes/{kind}/{identifier}")).content)
        assert "open RDP" in paper
        assert "within 45 days of the bind" in paper

    # The bind settles what was needed before it; the binder has what is owed from then on.
    await bind(service, quote)
    await decide(service, quote, "approve")
    binder = paper_text((await service.get(f"/v2/quotes/binder/{identifier}")).content)
    assert "within 45 days of the bind" in binder
    assert "A free one" in binder


async def test_the_journal_of_an_approved_amended_and_withdrawn_option_reads_as_sentences(
    service: Service, underwriter: Person
) -> None:
    quote = await one_quoted(service, red_flags)
    identifier, path = quote["quote_identifier"], await path_of(service, quote)
    await give_letter(service, await user_of(service, underwriter), deviation=5)
    async with await sign_in_as(service, Role.UNDERWRITER) as ann:
        to = (await user_of(service, ann)).user_id
        form = {**fields_of(await underwriter.open(path), f"{path}/decide"), "premium": "1900", "reason": WHY}
        seen = fields_of(await underwriter.send(f"{path}/preview", **form), f"{path}/decide")
        await underwriter.send(f"{path}/decide", **{**seen, "decision": "approve"})
        form = {**fields_of(await ann.open(path), f"{path}/decide"), "premium": "2900", "reason": WHY}
        seen = fields_of(await underwriter.send(f"{path}/preview", **form), f"{path}/decide")
        sent = {**seen, "sure": "1:2900", "decision": "send-amend", "send_to": to}
        await underwriter.send(f"{path}/decide", **sent)
        second = fields_of(await ann.open(path), f"{path}/second")
        await ann.send(f"{path}/second", **{**second, "answer": "approved"})
        form = {**fields_of(await ann.open(path), f"{path}/decide"), "decision": "withdraw"}
        await ann.send(f"{path}/decide", **{**form, "reason": "A slip"})

    history = text_of(await underwriter.open(path)).partition("History")[2]
    assert f"Option 1 was approved by the underwriter: {WHY}" in history
    assert f"Option 1 was sent to {ann.email} for the amendment at $2,900" in history
    assert "beyond the sender's authority: a deviation of 47.2 % is above 5 %." in history
    assert f"Option 1 was approved as the second person for {underwriter.email}." in history
    assert f"amended by the underwriter, premium $1,900 to $2,900: {WHY.rstrip('.')}" in history
    assert "Beyond the guidelines: $2,900 is 47.2 % above the tariff, more than 25 %" in history
    assert "Option 1 was published on the amended terms." in history
    assert "Option 1 was revoked: A slip." in history
    assert await flaws_in_journal(service, identifier) == []


async def test_what_failed_to_be_priced_is_an_override_like_any_other_once_the_tariff_has_a_price(
    service: Service, underwriter: Person
) -> None:
    quote = await one_quoted(service, lambda body: body["client"].update(domains=["calc-error.example.com"]))
    path = await path_of(service, quote)
    form = {**fields_of(await underwriter.open(path), f"{path}/decide"), "percent": "10", "reason": WHY}
    rated = int(form[f"shown_premium-{quote['quote_identifier']}"])

    page = await underwriter.send(f"{path}/preview", **form)
    await underwriter.send(f"{path}/decide", **{**fields_of(page, f"{path}/decide"), "decision": "approve"})

    assert "There are no factors" not in text_of(page)
    assert "above the tariff" in text_of(page)
    after = await shown(service, quote["quote_identifier"])
    assert (after["quote_status"], after["premium"]) == ("published", round(rated * 1.1))
    worksheet = text_of(await underwriter.open(path))
    assert "compared with the tariff's" in worksheet


async def test_a_cancellation_beyond_the_letter_is_sent_and_carried_out_by_the_second_person(
    service: Service, underwriter: Person
) -> None:
    quote = await one_quoted(service)
    await issue(service, quote)
    path = await path_of(service, quote)
    await give_letter(service, await user_of(service, underwriter))
    async with await sign_in_as(service, Role.UNDERWRITER) as ann:
        page = await underwriter.open(path)
        form = {**fields_of(page, f"{path}/decide"), "reason": WHY}
        alone = await underwriter.send(f"{path}/decide", status=422, **{**form, "decision": "cancel"})
        to = (await user_of(service, ann)).user_id
        await underwriter.send(f"{path}/decide", **{**form, "decision": "send-cancel", "send_to": to})
        hers = await ann.open(path)
        second = fields_of(hers, f"{path}/second")
        unsaid = await ann.send(f"{path}/second", status=422, **{**second, "answer": "sent_back"})
        await ann.send(f"{path}/second", **{**second, "answer": "approved"})

    assert "does not cover canceling and reinstating" in text_of(page)
    assert "formaction" not in page.partition('value="send-cancel"')[0].rpartition("<button")[2]
    assert "does not cover canceling and reinstating" in text_of(alone)
    assert "Option 1: cancel the policy" in text_of(hers)
    assert "A reason is required: Pat Underwriter reads it." in text_of(unsaid)
    assert await status_of(service, quote["quote_identifier"]) == "policy_canceled"


async def test_an_offer_beyond_the_letter_is_not_made_and_says_whom_to_ask(
    service: Service, underwriter: Person
) -> None:
    quote = await one_quoted(service, red_flags)
    path = await path_of(service, quote)
    await give_letter(service, await user_of(service, underwriter), aggregate_limit=1_000_000)
    async with await sign_in_as(service, Role.UNDERWRITER) as ann:
        form = {**fields_of(await underwriter.open(path), f"{path}/offer"), "aggregate_limit": "2000000"}
        answer = await underwriter.http.post(
            f"{path}/preview", data=form, headers={"Origin": underwriter.origin, "X-Part": "offer-price"}
        )
        shown_premium = re.findall(r'name="shown_premium" value="(\d+)"', answer.text)[0]
        typed = {**form, "shown_premium": shown_premium, "reason": WHY, "step": "offer"}
        refused = text_of(await underwriter.send(f"{path}/offer", status=422, **typed))

    assert "a limit of $2,000,000 is above $1,000,000" in refused
    assert ann.email in refused
    assert await service.count("quotes") == 1


async def test_the_page_that_refuses_what_is_far_off_asks_for_the_second_yes_and_keeps_what_was_typed(
    service: Service, underwriter: Person
) -> None:
    quote = await one_quoted(service, red_flags)
    path = await path_of(service, quote)
    form = {**fields_of(await underwriter.open(path), f"{path}/decide"), "premium": "1", "reason": WHY}
    seen = {**fields_of(await underwriter.send(f"{path}/preview", **form), f"{path}/decide")}

    refused = await underwriter.send(f"{path}/decide", status=422, **{**seen, "decision": "approve"})
    again = {**fields_of(refused, f"{path}/decide"), "decision": "approve"}
    await underwriter.send(f"{path}/decide", **again)

    assert "sure" not in seen
    assert (again["sure"], again["premium"], again["reason"]) == ("1:1", "1", WHY)
    assert (await shown(service, quote["quote_identifier"]))["premium"] == 1
