"""Contingencies on the case page: what closing one leads to is said before the button, and why is asked."""

import html
import re
import uuid
from typing import Any

from support.binding import bind, decide, issue, one_quoted, quoted, shown, status_of, upload_signed
from support.people import Person, text_of
from support.service import Service, request_body

WHY = "A single entity: there is nothing to list."
WARNING = "No signed application is on file."


async def case_of(service: Service, quote: dict[str, Any]) -> str:
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )
    return f"/desk/case/{submission_id}"


def papers_of(page: str) -> str:
    papers = text_of(page).partition("Contingencies and papers")[2]
    return papers.partition("History")[0].strip()


async def close(
    service: Service,
    underwriter: Person,
    quote: dict[str, Any],
    decision: str,
    *,
    status: int = 200,
    **more: str,
) -> str:
    form = {
        "quote_id": quote["quote_identifier"],
        "contingency_id": quote["contingencies"][0]["contingency_id"],
        "decision": decision,
        **more,
    }
    return text_of(
        await underwriter.send(f"{await case_of(service, quote)}/contingency", status=status, **form)
    )


async def test_closing_the_last_item_of_a_binder_says_before_that_it_issues_the_policy(
    service: Service, underwriter: Person
) -> None:
    quote = await bind(service, await one_quoted(service))
    number = quote["policy_number"]

    page = text_of(await underwriter.open(await case_of(service, quote)))
    assert f"accepting or waiving it issues policy {number} and mails the broker." in page
    assert WARNING in page
    await upload_signed(service, quote)
    assert WARNING not in text_of(await underwriter.open(await case_of(service, quote)))

    done = await close(service, underwriter, quote, "accept")

    assert f"The contingency is closed as fulfilled. Policy {number} is issued" in done
    # Nothing is left that could be pressed in vain.
    assert "Reopen" not in done
    assert "Add the contingency" not in done
    assert "Fulfilled : A signed and dated application" in done
    assert "had a contingency closed as fulfilled" in done


async def test_waiving_needs_a_reason_and_the_page_comes_back_with_the_case(
    service: Service, underwriter: Person
) -> None:
    quote = await one_quoted(service)

    refused = await close(service, underwriter, quote, "waive", status=422)
    assert "A reason is required to waive a contingency: it goes on record." in refused
    assert "Accepting or waiving it closes it and notifies the partner." in refused
    assert (await shown(service, quote["quote_identifier"]))["contingencies"][0]["status"] == "open"

    done = await close(service, underwriter, quote, "waive", reason=WHY)

    assert f"had a contingency waived: {WHY}" in done
    (signature,) = (await shown(service, quote["quote_identifier"]))["contingencies"]
    assert (signature["closed_as"], signature["closed_reason"]) == ("waived", WHY)


async def test_an_issued_policy_offers_nothing_that_is_always_refused(
    service: Service, underwriter: Person
) -> None:
    quote = await issue(service, await one_quoted(service))

    page = text_of(await underwriter.open(await case_of(service, quote)))
    refused = await close(service, underwriter, quote, "reopen", status=422)

    for words in ("Reopen", "Add the contingency", "Subject to"):
        assert words not in page
    assert "is issued: nothing is owed any more" in refused
    assert "Rating worksheet" in refused


async def test_a_bind_is_approved_once_it_is_said_of_each_item_how_it_was_settled(
    service: Service, underwriter: Person
) -> None:
    quote = await bind(
        service, await one_quoted(service, lambda body: body["client"].update(name="X (prebind)"))
    )
    listed = next(row for row in quote["contingencies"] if row["type"] == "pre_bind")
    path, number = await case_of(service, quote), listed["contingency_id"]
    page = await underwriter.open(path)
    assert f"Needed before the bind: {listed['text'].partition(',')[0]}" in text_of(page)
    version = page.partition(f'name="version-{quote["quote_identifier"]}" value="')[2].partition('"')[0]
    form: dict[str, Any] = {
        "options": quote["quote_identifier"],
        f"version-{quote['quote_identifier']}": version,
        "decision": "approve",
    }

    unsaid = text_of(await underwriter.send(f"{path}/decide", status=422, **form))
    form[f"closed_as-{number}"] = "waived"
    without_reason = text_of(await underwriter.send(f"{path}/decide", status=422, **form))
    assert "What is needed before the bind must be fulfilled or waived" in unsaid
    assert "What is needed before the bind needs a reason to be waived" in without_reason
    assert await status_of(service, quote["quote_identifier"]) == "quote_bind_requested"

    form[f"closed_reason-{number}"] = WHY
    await underwriter.send(f"{path}/decide", **form)

    bound = await shown(service, quote["quote_identifier"])
    assert bound["quote_status"] == "policy_active"
    (closed,) = [row for row in bound["contingencies"] if row["contingency_id"] == number]
    assert (closed["closed_as"], closed["closed_reason"]) == ("waived", WHY)


async def test_a_file_is_rejected_with_a_text_that_the_broker_reads_everywhere(
    service: Service, underwriter: Person, broker: Person
) -> None:
    quote = await one_quoted(service)
    await upload_signed(service, quote)
    path = await case_of(service, quote)
    number = quote["contingencies"][0]["contingency_id"]
    page = await underwriter.open(path)
    assert "Rejecting asks the broker for it again by mail, with your text." in text_of(page)
    (address,) = {
        html.unescape(found)
        for found in re.findall(r'formaction="([^"]+)" name="paper" value="reject"', page)
    }

    refused = await underwriter.send(address, status=422, paper="reject", reason="Of the decision")
    why = "Page 2 is missing."
    begun: dict[str, Any] = {"paper": "reject", "reason": "A reason that was begun", f"why-{number}": why}
    done = await underwriter.send(address, **begun)

    assert "A reason is required to reject a file: the broker gets it." in text_of(refused)
    assert "The file is rejected, and the broker is asked again." in text_of(done)
    assert f"had a contingency reopened: {why}" in text_of(done)
    (owed,) = (await shown(service, quote["quote_identifier"]))["contingencies"]
    assert (owed["status"], owed["received"], owed["asked_again_because"]) == ("open", None, why)
    company = text_of(await broker.open(f"/company/{quote['company_id']}"))
    assert f"Asked for again: {why}" in company
    mail = await service.runtime.database.pool.fetchval(
        "select body from mails where kind like 'contingency%'"
    )
    assert why in mail
    newest = (await service.journal(quote["quote_identifier"]))[-1]
    assert '"reopened_because":"Page 2 is missing."' in newest.data


async def test_a_decision_that_was_begun_comes_along_with_a_paper(
    service: Service, underwriter: Person
) -> None:
    quote = await bind(
        service, await one_quoted(service, lambda body: body["client"].update(name="Y (prebind)"))
    )
    await upload_signed(service, quote)
    path = await case_of(service, quote)
    page = await underwriter.open(path)
    address = html.unescape(re.findall(r'formaction="([^"]+)" name="paper" value="accept"', page)[0])

    done = await underwriter.send(address, paper="accept", reason="They sent a list by mail")

    assert "The contingency is closed as fulfilled." in text_of(done)
    assert ">They sent a list by mail</textarea>" in done


async def test_what_all_options_owe_is_said_once_and_decided_option_by_option(
    service: Service, underwriter: Person
) -> None:
    body = request_body()
    body["policy"]["quotes"] = [{"aggregate_limit": limit} for limit in (1_000_000, 2_000_000, 3_000_000)]
    quotes = await quoted(service, body)
    path, application = await case_of(service, quotes[0]), "A signed and dated application"

    page = await underwriter.open(path)
    alike = papers_of(page)
    assert alike.count(application) == 1
    assert alike.startswith(f"All 3 options Open , within 30 days of the bind: {application}")
    assert "Accept or waive it, option by option" in alike
    accept = [
        html.unescape(found)
        for found in re.findall(r'formaction="([^"]+)" name="paper" value="accept"', page)
    ]
    owed = [quote["contingencies"][0]["contingency_id"] for quote in quotes]
    assert [address.partition("contingency_id=")[2].partition("&")[0] for address in accept] == owed

    # Each has its own button: the second is closed, and stands alone.
    await underwriter.send(accept[1], paper="accept")
    parted = papers_of(await underwriter.open(path))
    assert parted.startswith("Options 1 and 3 Open")
    assert f"Option 2 Fulfilled : {application}" in parted
    assert parted.count(application) == 2

    # A file came in for the first; the third is required to have something more, twice over.
    await upload_signed(service, quotes[0])
    for _ in range(2):
        await decide(
            service,
            quotes[2],
            "add_contingency",
            contingency={"text": "Proof of backups", "type": "pre_bind"},
        )
    apart = papers_of(await underwriter.open(path))
    heads = ("Option 1 Received", "Option 2 Fulfilled", "Option 3 Open")
    assert [apart.count(head) for head in heads] == [1, 1, 1]
    assert apart.count("Open , before the bind: Proof of backups") == 2
