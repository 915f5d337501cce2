"""Asking the broker, on the pages: from the case to the company's page and back."""

import html
import re
import uuid
from typing import Any

from bindery.storage.access import partners
from support.binding import PHOTO, bind, decide, one_quoted, quoted, shown, status_of, upload_signed
from support.intake import technology
from support.people import Person, fields_of, text_of
from support.service import Service, request_body

WHAT = "Is the branch office behind MFA too?"


async def case_of(service: Service, quote: dict[str, Any]) -> str:
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )
    return f"/desk/case/{submission_id}"


async def referred(service: Service, broker: Person, name: str = "Acorn Ltd", options: int = 1) -> Any:
    async with service.runtime.database.transaction() as tx:
        await partners.add_broker(tx, service.partner, broker.email)

    def change(body: dict[str, Any]) -> None:
        body["client"].update(name=name, domains=["red-flags.example.com"], broker_email=broker.email)
        body["policy"]["quotes"] = body["policy"]["quotes"][:options]

    return await quoted(service, request_body(change))


async def test_a_question_goes_to_the_broker_and_comes_back_with_a_file(
    service: Service, broker: Person, underwriter: Person
) -> None:
    (quote,) = await referred(service, broker)
    path = await case_of(service, quote)
    reason = quote["referral_reasons"][0]["code"]

    asked = text_of(await underwriter.send(f"{path}/ask?option=1", question=WHAT, about=reason))
    queue, waiting = [text_of(await underwriter.open(f"/desk{view}")) for view in ("", "?view=waiting")]
    today = text_of(await broker.open("/"))
    company = await broker.open(f"/company/{quote['company_id']}")
    (address,) = re.findall(r'action="(/question/[^"]+)"', company)

    assert "The broker is asked. The case waits for the answer." in asked
    assert "Waiting for broker" in asked
    assert "Acorn Ltd" not in queue
    assert "1 waits for its broker." in queue
    assert "Waiting for broker 1" in queue
    assert "Acorn Ltd" in waiting
    assert "asked 0 min ago" in waiting
    assert "Next free case" not in waiting
    nothing = await underwriter.send("/desk/next?view=waiting")
    assert "There is no case here that is free to take." in text_of(nothing)
    assert "Underwriters ask 1" in today
    assert WHAT in today
    assert "An underwriter has 1 question: it waits for your answer." in text_of(company)
    assert f'href="#{address.removeprefix("/").replace("/", "-")}">Answer the underwriter' in company
    assert "An underwriter will decide on the quote." not in text_of(company)
    assert f"About: {reason.replace('_', ' ')}" in text_of(company)

    sent = await broker.send(
        address, answer="Yes, see the plan.", files={"file": ("plan.png", PHOTO, "image/png")}
    )
    back = text_of(await underwriter.open(path))

    assert "The underwriter has your answer." in text_of(sent)
    assert address not in sent
    assert "Acorn Ltd" in text_of(await underwriter.open("/desk"))
    assert "answer Is the branch office behind MFA too?" in back
    assert "Yes, see the plan. plan.png" in back
    assert "had the broker's answer, with a file: Yes, see the plan." in back
    (upload,) = (await shown(service, quote["quote_identifier"]))["uploads"]
    assert upload["name"] == "plan.png"


async def test_an_answer_without_anything_is_asked_for_again_and_one_that_was_typed_stays(
    service: Service, broker: Person, underwriter: Person
) -> None:
    (quote,) = await referred(service, broker)
    await underwriter.send(f"{await case_of(service, quote)}/ask", question=WHAT)
    (address,) = re.findall(
        r'action="(/question/[^"]+)"', await broker.open(f"/company/{quote['company_id']}")
    )

    empty = await broker.send(address, status=422, answer="  ")
    too_long = await broker.send(address, status=422, answer="x" * 4001)
    unfit = await broker.send(
        address, status=415, answer="As attached", files={"file": ("plan.txt", b"no paper", "text/plain")}
    )

    assert "must be a text or a file" in text_of(empty).lower()
    assert "x" * 4001 in too_long
    assert ">As attached</textarea>" in unfit
    assert (await shown(service, quote["quote_identifier"]))["questions"][0]["status"] == "open"
    opened = await broker.http.get(address, follow_redirects=False)
    assert opened.headers["location"] == f"/company/{quote['company_id']}#question-{address.split('/')[-1]}"


async def test_an_answer_after_the_decision_is_kept_and_said_so(
    service: Service, broker: Person, underwriter: Person
) -> None:
    (quote,) = await referred(service, broker)
    path = await case_of(service, quote)
    await underwriter.send(f"{path}/ask", question=WHAT)
    await decide(service, quote, "decline", reason="Too many open ports.")
    company = await broker.open(f"/company/{quote['company_id']}")
    (address,) = re.findall(r'action="(/question/[^"]+)"', company)

    said = text_of(await broker.send(address, answer="All closed."))
    again = text_of(await broker.send(address, answer="Really."))
    case = text_of(await underwriter.open(path))

    assert "The case was decided without it." in text_of(company)
    assert "The case was decided before your answer came. It is kept, and the underwriter is told." in said
    assert f"Not sent: {broker.email} answered already: All closed." in again
    assert "had the broker's answer: All closed." in case
    assert await status_of(service, quote["quote_identifier"]) == "quote_declined"
    mailed = await service.runtime.database.pool.fetchval(
        "select recipients from mails where kind like 'late_answer%'"
    )
    assert list(mailed) == [underwriter.email]
    assert "Underwriters ask" not in text_of(await broker.open("/"))


async def test_the_underwriter_goes_on_without_the_answer(
    service: Service, broker: Person, underwriter: Person
) -> None:
    (quote,) = await referred(service, broker)
    path = await case_of(service, quote)
    page = await underwriter.send(f"{path}/ask", question=WHAT)
    (number,) = re.findall(r'name="question_id" value="([^"]+)"', page)
    company = await broker.open(f"/company/{quote['company_id']}")
    (address,) = re.findall(r'action="(/question/[^"]+)"', company)

    said = text_of(await underwriter.send(f"{path}/go-on", question_id=number))
    late = text_of(await broker.send(address, answer="Yes."))
    twice, unknown = [
        text_of(await underwriter.send(f"{path}/go-on", question_id=which))
        for which in (number, str(uuid.uuid4()))
    ]

    assert "You go on without the answer." in said
    assert "That question is not open any more." in twice
    assert "That question is not open any more." in unknown
    assert "Not sent: the underwriter goes on without an answer." in late


async def test_a_begun_decision_comes_along_with_everything_beside_it(
    service: Service, broker: Person, underwriter: Person
) -> None:
    first, _ = await referred(service, broker, options=2)
    path = await case_of(service, first)
    page = await underwriter.open(f"{path}?option=1")
    begun = {**fields_of(page, f"{path}/decide"), "reason": "They closed the port", "premium": "9,000"}
    ticked = begun["options"] = first["quote_identifier"]

    steps = {
        "note": await underwriter.send(f"{path}/note?option=1", **begun, note="Called them."),
        "ask": await underwriter.send(f"{path}/ask?option=1", **begun, question=WHAT),
        "another option": await underwriter.send(
            f"{path}/preview?option=2", **begun, looked_at=ticked, question="And RDP?"
        ),
        "refused question": await underwriter.send(
            f"{path}/ask?option=1", status=422, **begun, question=WHAT
        ),
    }
    sure = await underwriter.send(f"/sure?step=decline&to={path}/decide&back={path}%3Foption%3D1", **begun)
    back = html.unescape(re.findall(r'formaction="([^"]+)">Go back', sure)[0])
    steps["go back"] = await underwriter.send(back, **fields_of(sure, f"{path}/decide"))

    for name, shown_page in steps.items():
        assert ">They closed the port</textarea>" in shown_page, name
        assert 'value="9,000"' in shown_page, name
    assert "The note is saved." in text_of(steps["note"])
    assert "Price of option 2" in text_of(steps["another option"])
    assert ">And RDP?</textarea>" in steps["another option"]
    # The only tick was that of the option that was looked at.
    second = re.findall(r'name="options" value="([^"]+)" checked', steps["another option"])
    assert len(second) == 1
    assert second != [ticked]
    assert "was asked already" in text_of(steps["refused question"])


async def test_a_bind_is_sent_back_from_the_case(
    service: Service, broker: Person, underwriter: Person
) -> None:
    quote = await one_quoted(service, lambda body: body["client"].update(name="Foxglove Ltd (prebind)"))
    await bind(service, quote)
    path = await case_of(service, quote)
    page = await underwriter.open(path)
    (step,) = re.findall(r'formaction="(/sure\?[^"]*send_back[^"]*)"', page)
    form = {
        **fields_of(page, f"{path}/decide"),
        "options": quote["quote_identifier"],
        "decision": "send_back",
    }

    sure = await underwriter.send(html.unescape(step), **form)
    refused = await underwriter.send(f"{path}/decide", status=422, **form)
    done = await underwriter.send(f"{path}/decide", **{**form, "reason": "There is no expiring policy yet."})
    twice = await underwriter.post(f"{path}/decide", **{**form, "reason": "There is no expiring policy yet."})

    assert "Send the bind of Foxglove Ltd (prebind) back?" in text_of(sure)
    assert "The option is open again at the premium offered" in text_of(sure)
    assert "A reason is required" in text_of(refused)
    assert "The bind of option 1 is sent back, and the option is open." in text_of(done)
    assert twice.status_code == 303
    assert await status_of(service, quote["quote_identifier"]) == "published"
    company = text_of(await broker.open(f"/company/{quote['company_id']}"))
    assert "the requested bind was sent back: There is no expiring policy yet." in company


async def test_binds_and_papers_say_in_the_queue_why_they_are_there(
    service: Service, broker: Person, underwriter: Person
) -> None:
    quote = await one_quoted(service, lambda body: body["client"].update(name="Foxglove Ltd (prebind)"))
    await upload_signed(service, quote)
    await bind(service, quote)

    queue = text_of(await underwriter.open("/desk"))

    assert "Bind pre-bind open" in queue
    assert "Papers signed application came in" in queue


async def test_the_case_says_where_the_applicant_is_and_what_came_of_the_last_time(
    service: Service, broker: Person, underwriter: Person
) -> None:
    first = await one_quoted(service)
    body = request_body(lambda body: body["client"].update(domains=["red-flags.example.com"]))
    body["client"]["company_id"] = first["company_id"]
    body["policy"]["quotes"] = body["policy"]["quotes"][:1]
    (again,) = await quoted(service, body)

    async with service.runtime.database.transaction() as tx:
        broker_email = again["client"]["broker_email"]
        await partners.add_broker(tx, service.partner, broker_email, firm="Harbor Brokerage")

    case = text_of(await underwriter.open(await case_of(service, again)))

    assert f"through {service.partner.name}" in case
    assert "broker of Harbor Brokerage" in case
    assert "1200 Market Street, Philadelphia, PA, 19107" in case
    assert "hazard group" in case
    assert f"company {first['company_id']}" in case
    assert "contact Ann Example" in case
    assert re.search(r"submitted before on \w{3} \d+, \d{4}: revoked", case)
    assert "not submitted before" in text_of(await underwriter.open(await case_of(service, first)))

    (last,) = await quoted(service, body)
    case = text_of(await underwriter.open(await case_of(service, last)))
    other = technology(
        ("client.company_id", first["company_id"]), ("policy.quotes[0].aggregate_limit", 2_000_000)
    )
    elsewhere = text_of(await underwriter.open(await case_of(service, (await quoted(service, other))[0])))
    both = "1 with an underwriter, 1 revoked"
    assert re.search(rf"submitted 2 times before: {both}; last on [^:]+: with an underwriter", case)
    assert "submitted 3 times before: 2 with an underwriter, 1 revoked Why" in elsewhere
