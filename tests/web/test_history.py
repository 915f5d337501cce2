"""What happened to a company, in lines that people can tell apart."""

from datetime import date, timedelta
from typing import Any

import pytest

from bindery.domain.quote.lifecycle import Trigger
from bindery.web.shown.history_sentences import SENTENCES
from support.binding import DAY, decide, move_days, move_to, quoted, set_day
from support.people import Person, text_of
from support.service import Service

pytestmark = pytest.mark.usefixtures("plain_printing")


async def test_options_that_expire_in_one_sweep_share_a_line(service: Service, broker: Person) -> None:
    await set_day(service, DAY)
    first, *others = await quoted(service)
    assert len(others) == 1
    await move_days(service, 61)

    history = text_of(await broker.open(f"/company/{first['company_id']}")).split("History")[1]

    assert "Options 1 and 2 expired." in history
    assert "Option 1 expired." not in history
    assert " quote of " not in history


async def test_steps_of_several_submissions_say_which_they_are_of(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    await move_to(service, date(2028, 1, 2))

    history = text_of(await broker.open(f"/company/{policy['company_id']}")).split("History")[1]

    assert "Option 1 was offered as a renewal. Cyber renewal of Jan 2, 2028" in history
    assert "Option 1 was issued as a policy. Cyber quote of Mar 1, 2027" in history


async def test_what_was_mailed_is_in_the_history_with_its_recipients(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    await decide(service, policy, "cancel", reason="business_sold")
    pool, now = service.runtime.database.pool, await service.runtime.database.now()
    unsent = await broker.open(f"/company/{policy['company_id']}")
    await pool.execute(
        "update mails set taken = recipients, taken_at = $1, sent_at = $1", now + timedelta(minutes=1)
    )

    history = text_of(await broker.open(f"/company/{policy['company_id']}")).split("History")[1]

    assert "mailed" not in unsent
    assert "Mar 1, 12:01 PM Notice of cancellation mailed to ann@harborlight.example." in history
    assert "Policy mailed to broker@example.com." in history
    # A file that was read says so on its own.
    assert history.count("mailed to") == 5


async def test_an_underwriter_reads_of_the_partner_and_not_of_its_key(
    service: Service, policy: dict[str, Any], underwriter: Person
) -> None:
    find = "select submission_id from quotes where quote_id = $1"
    submission_id = await service.runtime.database.pool.fetchval(find, policy["quote_identifier"])

    history = text_of(await underwriter.open(f"/desk/case/{submission_id}")).split("History")[-1]

    assert "the partner" in history
    assert f"partner:{service.partner.key}" not in history


def test_certificates_name_the_first_holders() -> None:
    said = SENTENCES[Trigger.ISSUE_CERTIFICATES]

    assert said({"to": ["Pier Inc."], "count": 1}) == "A certificate was issued to Pier Inc."
    assert said({"to": ["A", "B"], "count": 2}) == "2 certificates were issued to A and B"
    assert said({"to": ["A", "B", "C"], "count": 4}) == "4 certificates were issued to A, B, C and one other"
    assert said({"to": ["A", "B", "C"], "count": 9}) == "9 certificates were issued to A, B, C and 6 others"


async def test_brokers_read_sentences_and_underwriters_the_entries_behind_them_too(
    service: Service, policy: dict[str, Any], broker: Person, underwriter: Person
) -> None:
    company = f"/company/{policy['company_id']}"

    for_broker, for_underwriter = [await person.open(company) for person in (broker, underwriter)]

    assert "Raw entries" in for_underwriter
    assert f"{policy['quote_identifier']} #" in for_underwriter
    assert "Raw entries" not in for_broker
    assert f"{policy['quote_identifier']} #" not in for_broker
    assert "Option 1 was issued as a policy." in text_of(for_broker)
