"""Canceling and reinstating on the case page: who, why, when, and what it comes to before the button."""

import html
import re
import uuid
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from bindery.base.numbers import in_dollars, to_whole_dollars
from support.binding import decide, set_day, shown
from support.people import Person, fields_of, text_of
from support.service import BROKER, Service

pytestmark = pytest.mark.usefixtures("plain_printing")


async def case_of(service: Service, quote: dict[str, Any]) -> str:
    found = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )
    return f"/desk/case/{found}"


async def test_a_cancellation_is_foreseen_while_it_is_typed_and_on_the_page_that_asks(
    service: Service, policy: dict[str, Any], underwriter: Person
) -> None:
    await set_day(service, date(2027, 4, 11))
    path = await case_of(service, policy)
    page = await underwriter.open(path)
    form = fields_of(page, f"{path}/decide")
    preview = f"{path}/preview?option=1"

    async def part(**typed: str) -> str:
        answer = await underwriter.http.post(
            preview, data={**form, **typed}, headers={"Origin": underwriter.origin, "X-Part": "ending"}
        )
        assert answer.status_code == 200, answer.text
        assert answer.text.startswith('<section class="card" id="ending"')
        return text_of(answer.text)

    assert 'data-part="ending"' in page
    assert 'min="2027-03-02" max="2028-03-01"' in page
    # 40 of 366 days of $1,536, of which at least a quarter is earned.
    assert "If empty: today, Apr 11, 2027" in text_of(page)
    assert "If canceled as of Apr 11, 2027, $1,152 of $1,536 is returned." in text_of(page)
    by_insured = await part(effective="2027-04-11")
    assert "Earned premium $384 (the minimum of 25%, for 40 of 366 days)" in by_insured
    assert "Taxes and fees returned $34.56 of $66.08" in by_insured
    assert (
        "automatic until Jun 10, 2027; 12 months $1,536, 24 months $2,304, 36 months $2,842, "
        "offered until May 11, 2027"
    ) in by_insured
    unpaid = await part(cancel_reason="nonpayment", effective="2027-04-21")
    assert "$210 of $1,536 is earned and due." in unpaid
    assert "no automatic period" in unpaid
    too_soon = await part(cancel_reason="nonpayment", effective="2027-04-20")
    assert too_soon == (
        "What a cancellation comes to It cannot be canceled like this. "
        "If empty: Apr 21, 2027, the first possible day with 10 days' notice "
        "The day of the cancellation must be Apr 21, 2027 or later: canceling for nonpayment takes 10 days' "
        "notice."
    )
    assert "must be from Mar 2, 2027 and before Mar 2, 2028" in await part(effective="2030-01-01")
    assert "must be Apr 11, 2027 or later, or the first day of the term, Mar 2, 2027" in await part(
        effective="2027-04-10"
    )
    assert "must be a date" in await part(effective="soon")

    # The same without a script, by a button.
    pressed = text_of(
        await underwriter.send(preview, **{**form, "cancel_reason": "fraud", "effective": "2027-05-01"})
    )
    assert "must be Jun 10, 2027 or later: canceling for fraud takes 60 days' notice." in pressed

    (button,) = re.findall(r'formaction="(/sure[^"]+step=cancel[^"]*|/sure\?step=cancel[^"]*)"', page)
    sure = html.unescape(button)
    refused = await underwriter.send(sure, **{**form, "cancel_reason": "fraud", "effective": "2027-05-01"})
    asked = await underwriter.send(sure, **{**form, "cancel_reason": "business_sold"})
    assert "This cannot be done" in text_of(refused)
    assert "Cancel the policy</button>" not in refused
    said = text_of(asked)
    assert "Earned premium: $384 (the minimum of 25%, for 40 of 366 days)." in said
    assert "Taxes and fees returned: $34.56 of $66.08." in said
    assert f"The notice is emailed to {BROKER} and ann@harborlight.example." in said
    assert (await shown(service, policy["quote_identifier"]))["quote_status"] == "policy_active"

    await underwriter.send(f"{path}/decide?option=1", **fields_of(asked, f"{path}/decide"), decision="cancel")

    assert (await shown(service, policy["quote_identifier"]))["cancellation"] == {
        "canceled_by": "insured",
        "reason": "business_sold",
        "text": "",
        "effective": "2027-04-11",
        "earned": 384,
        "returned": 1_152,
        "due": 0,
    }


async def test_before_the_term_begins_the_first_day_is_the_first_possible_one(
    service: Service, policy: dict[str, Any], underwriter: Person
) -> None:
    page = text_of(await underwriter.open(await case_of(service, policy)))

    assert "If empty: Mar 2, 2027, the first day of the term" in page
    assert "If canceled as of Mar 2, 2027, $1,536 of $1,536 is returned." in page
    assert "Extended reporting none (coverage does not begin)" in page


async def test_a_policy_whose_coverage_ended_is_reinstated_on_a_signed_statement(
    service: Service, policy: dict[str, Any], underwriter: Person
) -> None:
    await set_day(service, date(2027, 4, 11))
    await decide(service, policy, "cancel", reason="nonpayment")
    path = await case_of(service, policy)
    before = await underwriter.open(path)
    await set_day(service, date(2027, 4, 21))
    page = await underwriter.open(path)
    form = {**fields_of(page, f"{path}/decide"), "decision": "reinstate", "reason": "Paid after all"}

    refused = await underwriter.send(f"{path}/decide?option=1", status=422, **form)
    still = await shown(service, policy["quote_identifier"])
    await underwriter.send(f"{path}/decide?option=1", **form, no_known_loss="yes")

    assert "Canceled as of Apr 21" in text_of(before)
    assert 'name="no_known_loss"' not in before
    assert "signed statement of no known losses since Apr 21, 2027 was received" in text_of(page)
    assert (
        "The statement of no known losses is required, signed by the insured: coverage ended on Apr 21, 2027."
    ) in text_of(refused)
    assert still["quote_status"] == "policy_canceled"
    assert (await shown(service, policy["quote_identifier"]))["quote_status"] == "policy_active"


async def test_price_and_cancellation_of_a_changed_policy_are_told_by_its_parts(
    service: Service, policy: dict[str, Any], underwriter: Person
) -> None:
    await set_day(service, date(2027, 4, 30))
    path = await case_of(service, policy)

    async def change(**changes: object) -> dict[str, Any]:
        address = f"/v2/policies/{policy['quote_identifier']}/changes"
        day = (await service.runtime.database.today()).isoformat()
        asked = {"effective": day, "changes": changes, "reason": "Asked for by a customer."}
        change_id = (await service.post(address, asked)).json()["change_id"]
        accepted: dict[str, Any] = (await service.post(f"{address}/{change_id}/accept", None)).json()
        assert accepted["status"] == "issued"
        return accepted

    async def foreseen(form: dict[str, Any], **typed: str) -> str:
        headers = {"Origin": underwriter.origin, "X-Part": "ending"}
        answer = await underwriter.http.post(f"{path}/preview", data=form | typed, headers=headers)
        return text_of(answer.text)

    await change(dba="Lamplight Bread")
    free = text_of(await underwriter.open(path))
    more = await change(aggregate_limit=2_000_000)
    await set_day(service, date(2027, 8, 8))
    less = await change(aggregate_limit=500_000)
    page = await underwriter.open(path)
    form = fields_of(page, f"{path}/decide")
    added, returned = more["premium_difference"], -less["premium_difference"]
    charged = 1_536 + added - returned
    parts = (
        f"$1,536 for 220 of 366 days, ${added:,} for 161 of 307 days, less ${returned:,} for 61 of 207 days"
    )

    assert "Price of option 1" in free
    assert "The price of the whole term" not in free, "nothing of it was changed"
    assert (
        f"${less['premium_after']:,} The price of the whole term, as the policy is since Aug 8, 2027. "
        f"Charged is ${charged:,}: $1,536 when it was issued, +${added:,} for the days from Apr 30, 2027, "
        f"\N{MINUS SIGN}${returned:,} for the days from Aug 8, 2027."
    ) in text_of(page)
    assert "Set by an underwriter" not in text_of(page)
    shown_price = text_of(page).partition("Price of option 1")[2].partition("Worksheet")[0]
    assert f"Premium by the tariff ${less['premium_after']:,}" in shown_price
    late = await foreseen(form, effective="2027-10-08")
    earned = (await shown(service, policy["quote_identifier"]))["premium"]
    assert earned == charged
    assert f"({parts})" in late
    assert f"12 months ${less['premium_after']:,}," in late, "as the notice, by the price of the term"
    by_minimum = await foreseen(form, effective="2027-03-02")
    assert "(flat: coverage does not begin)" in by_minimum


async def test_the_least_that_is_earned_of_a_changed_policy_is_a_quarter_of_all_that_was_charged(
    service: Service, policy: dict[str, Any], underwriter: Person
) -> None:
    await set_day(service, date(2027, 3, 12))
    path, address = await case_of(service, policy), f"/v2/policies/{policy['quote_identifier']}/changes"
    asked = {"effective": "2027-03-12", "changes": {"aggregate_limit": 2_000_000}, "reason": "More."}
    change = (await service.post(address, asked)).json()
    await service.post(f"{address}/{change['change_id']}/accept", None)
    charged = 1_536 + change["premium_difference"]

    page = await underwriter.open(path)

    least = in_dollars(to_whole_dollars(Decimal(charged) / 4))
    parts = f"$1,536 for 10 of 366 days, ${change['premium_difference']:,} for 0 of 356 days"
    assert f"{least} (the minimum of 25% of ${charged:,}, for {parts})" in text_of(page)
