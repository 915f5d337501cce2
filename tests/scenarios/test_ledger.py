"""The ledger: every step of a policy that moves premium is booked with its journal, and stays as it was."""

import uuid
from datetime import date
from decimal import Decimal
from importlib.resources import files
from typing import Any

import asyncpg
import pytest

from bindery.domain.policy.ledger import Booked
from bindery.storage.policy import ledger
from support.binding import bind, decide, in_days, move_days, one_quoted, set_day
from support.book import issued, of_state
from support.service import Service

DAY = date(2027, 3, 1)


@pytest.fixture
async def service(service: Service) -> Service:
    await set_day(service, DAY)
    return service


async def booked(service: Service, quote: dict[str, Any]) -> list[Booked]:
    async with service.runtime.database.reading() as tx:
        return await ledger.of_policy(tx, uuid.UUID(quote["quote_identifier"]))


def brief(rows: list[Booked]) -> list[tuple[str, int, Decimal]]:
    return [(row.kind.value, row.premium, row.charges_total) for row in rows]


async def test_a_policy_that_is_issued_at_once_is_booked_with_its_bind(service: Service) -> None:
    policy = await issued(service)

    (row,) = await booked(service, policy)

    charges = [(charge.title, charge.price) for charge in row.charges]
    premium = policy["premium"]
    assert (row.number, row.premium) == (1, premium)
    assert (row.booked_on, row.effective) == (DAY, date.fromisoformat(policy["dates"]["effective"]))
    assert charges == [
        ("Surplus lines tax", round(Decimal(premium * 3) / 100, 2)),
        ("Stamping fee", round(Decimal(premium * 18) / 10_000, 2)),
    ]
    entries = await service.journal(policy["quote_identifier"])
    assert entries[row.journal_entry - 1].trigger == "bind"


async def test_a_conditional_binder_is_booked_once_however_it_is_issued_later(service: Service) -> None:
    quote = await one_quoted(service)
    binder = await bind(service, quote)
    (owed,) = [row for row in binder["contingencies"] if row["status"] == "open"]

    await decide(service, quote, "close_contingency", contingency_id=owed["contingency_id"])

    assert [row.kind for row in await booked(service, quote)] == ["original"]


async def test_a_lapse_takes_all_of_a_conditional_binder_back(service: Service) -> None:
    quote = await one_quoted(service, of_state("PA"))
    await bind(service, quote)
    await move_days(service, 31)

    original, lapse = await booked(service, quote)

    assert (lapse.premium, lapse.charges_total) == (-original.premium, -original.charges_total)
    assert (lapse.kind, lapse.reverses, lapse.number) == ("lapse", 1, 2)
    assert lapse.booked_on.isoformat() == in_days(DAY, 31)
    assert lapse.effective == original.effective


async def test_a_cancellation_takes_back_what_its_notice_says_is_not_earned(service: Service) -> None:
    policy = await issued(service, "PA")
    await set_day(service, date(2027, 4, 11))
    canceled = await decide(service, policy, "cancel")

    original, row = await booked(service, policy)

    said = canceled["cancellation"]
    assert row.premium == -said["returned"] == said["earned"] - policy["premium"]
    # The tax goes back at its rate, the stamping fee stays with the state.
    assert [charge.price for charge in original.charges] == [
        round(Decimal(policy["premium"] * 3) / 100, 2),
        Decimal("20.00"),
    ]
    assert [charge.price for charge in row.charges] == [round(Decimal(row.premium * 3) / 100, 2), 0]
    assert (row.booked_on, row.effective) == (date(2027, 4, 11), date(2027, 4, 11))


async def test_premium_that_was_never_paid_is_taken_back_as_far_as_it_is_not_earned(service: Service) -> None:
    policy = await issued(service)
    await set_day(service, date(2027, 4, 11))
    canceled = await decide(service, policy, "cancel", reason="nonpayment", text="No payment came.")

    _, row = await booked(service, policy)

    assert canceled["cancellation"]["returned"] == 0
    assert row.premium == canceled["cancellation"]["due"] - policy["premium"]
    assert row.charges_total < 0
    assert row.effective.isoformat() == in_days(date(2027, 4, 11), 10)


async def test_a_reinstatement_books_again_what_the_last_cancellation_took_back(service: Service) -> None:
    policy = await issued(service)
    await decide(service, policy, "cancel", reason="not_taken_up", effective=policy["dates"]["effective"])
    await decide(service, policy, "reinstate", reason="Paid.")
    await set_day(service, date(2027, 9, 1))
    await decide(service, policy, "cancel")
    await decide(service, policy, "reinstate", reason="Paid again.")

    rows = await booked(service, policy)

    assert [(row.kind, row.reverses) for row in rows] == [
        ("original", None),
        ("cancellation", None),
        ("reinstatement", 2),
        ("cancellation", None),
        ("reinstatement", 4),
    ]
    assert sum(row.premium for row in rows) == policy["premium"]
    assert sum(row.charges_total for row in rows) == rows[0].charges_total
    assert -rows[3].premium == rows[4].premium < policy["premium"] == rows[2].premium


async def test_what_is_refused_books_nothing(service: Service) -> None:
    policy = await issued(service)
    ask = {"decision": "cancel", "reason": "fraud", "effective": in_days(DAY, 2)}

    refused = await service.post(f"/v2/demo/quotes/{policy['quote_identifier']}/review", ask)

    assert refused.status_code == 400
    assert len(await booked(service, policy)) == 1


async def test_no_row_of_the_ledger_can_be_changed_or_removed(
    service: Service, subtests: pytest.Subtests
) -> None:
    await issued(service)
    pool = service.runtime.database.pool

    for statement in (
        "update premium_transactions set premium = premium + 1",
        "delete from premium_transactions",
        "truncate premium_transactions cascade",
    ):
        with subtests.test(statement), pytest.raises(asyncpg.RaiseError, match="append-only"):
            await pool.execute(statement)

    assert await service.count("premium_transactions") == 1


ROWS = """
select quote_id, number, kind, journal_entry, booked_on, effective, premium, charges, charge_lines::jsonb,
       reverses, partner_id, product, state
from premium_transactions order by quote_id, number
"""


@pytest.mark.usefixtures("busy_book")
async def test_the_migration_books_what_the_actions_would_have_booked(service: Service) -> None:
    pool = service.runtime.database.pool
    by_actions = await pool.fetch(ROWS)
    script = files("bindery.storage.migrations") / "versions" / "0133_premium_transactions.sql"

    async with pool.acquire() as connection:
        await connection.execute("drop table premium_transactions cascade")
        await connection.execute("drop function keep_premium_transactions")
        async with connection.transaction():
            await connection.execute(script.read_text())
    by_migration = await pool.fetch(ROWS)

    assert [dict(row) for row in by_migration] == [dict(row) for row in by_actions]
    kinds = [row["kind"] for row in by_actions]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {
        "original": 6,
        "cancellation": 6,
        "reinstatement": 3,
        "lapse": 1,
    }
