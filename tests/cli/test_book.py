"""`bindery book verify` finds where the ledger, journals, policies and papers differ."""

import json
from pathlib import Path

import pytest

from bindery.cli.book import look_at_book
from bindery.domain.policy.book_check import BookPart
from support.book import binder_file, busy, import_file, issued
from support.processes import Program
from support.service import Service

PARTS = ["transactions", "journal", "policies", "papers"]
OF_CA = "quote_id = (select quote_id from premium_transactions where state = 'CA' limit 1)"
OF_PA = OF_CA.replace("CA", "PA")
OF_OR = "quote_id = (select quote_id from premium_transactions where kind = 'lapse')"

THE_FIRST = "where ctid = (select ctid from booked_sums where title = '{}' limit 1)"

DAMAGE = {
    "a row is lost": (
        f"delete from premium_transactions where {OF_CA} and number = 3",
        {
            "journal": "(reinstate) has no transaction",
            "policies": "policy_active: the ledger has $",
            "binders": "SAMPLE-2027 has $",
            "sums": "premium: the filings have $",
        },
    ),
    "a dollar is added": (
        f"update premium_transactions set premium = premium + 1 where {OF_CA} and number = 1",
        {
            "journal": "(bind) tells of $",
            "papers": "its papers say $",
            "policies": "policy_active",
            "binders": "SAMPLE",
            "sums": "premium: the filings have $",
        },
    ),
    "a cent is added to the charges": (
        f"update premium_transactions set charges = charges + 0.01 where {OF_PA} and number = 1",
        {"transactions": "and they add up to $", "papers": "its papers say $"},
    ),
    "a cancellation is booked on another day": (
        # In the same month.
        (
            "update premium_transactions set booked_on = booked_on "
            f"+ case when extract(day from booked_on) > 1 then -1 else 1 end where {OF_PA} and number = 2"
        ),
        {"papers": "its notice of cancellation of "},
    ),
    "a lapse takes back less": (
        f"update premium_transactions set premium = premium + 1 where {OF_OR} and number = 2",
        {
            "transactions": "transaction 2 takes back another amount than transaction 1 has",
            "policies": "quote_expired: the ledger has $1",
            "binders": "SAMPLE-2027 has $",
            "sums": "premium: the filings have $",
        },
    ),
    "an entry is another's": (
        f"update premium_transactions set journal_entry = 1 where {OF_CA} and number = 1",
        {"journal": "transaction 1 belongs to entry 1, which moves no premium"},
    ),
    "the price of a policy is changed": (
        f"update quotes set premium = premium - 10 where {OF_CA}",
        {
            "policies": "policy_active: the ledger has $",
        },
    ),
    "a notice says that more was earned": (
        f"update notices set event = replace(event, '\"earned\":', '\"earned\":1') where {OF_PA}",
        {"papers": "its notice of cancellation of "},
    ),
    "more is booked on a binder than was written": (
        "update binders set premium_booked = premium_booked + 1",
        {"binders": "SAMPLE-2027 has $"},
    ),
    "a dollar is added to what is kept for the filings": (
        f"update booked_sums set amount = amount + 1 {THE_FIRST.format('Stamping fee')}",
        {"sums": "Stamping fee: the filings have $"},
    ),
    "what is kept for the filings is lost": (
        f"delete from booked_sums {THE_FIRST.format('')}",
        {"sums": "premium: the filings have $"},
    ),
    "a policy was never bound": (
        f"update binds set policy_number = null where {OF_CA}",
        {"transactions": "it has transactions and was never bound"},
    ),
}


@pytest.fixture
def program(dsn: str, tmp_path: Path) -> Program:
    """The command line on the data folder of the service."""
    return Program(tmp_path, {"BINDERY_DATABASE_URL": dsn, "BINDERY_DATA_DIR": str(tmp_path)})


async def test_every_difference_is_found_and_nothing_where_there_is_none(
    program: Program, service: Service, subtests: pytest.Subtests
) -> None:
    await import_file(service, binder_file(inception="2020-01-01", expiry="2099-01-01"))
    await busy(service)
    database = service.runtime.database

    whole = program.run("book", "verify")
    listed = program.run("book", "verify", "--json").json()
    sums = await database.pool.fetchval(
        "select count(distinct (state, month, is_new, title)) from booked_sums"
    )

    assert whole.code == 0, whole.stdout
    assert whole.stdout.endswith("The ledger says what journals, policies and papers say, to the cent.\n")
    assert {part: (each["checked"], each["flawed"]) for part, each in listed.items()} == {
        "transactions": (16, 0),
        "journal": (16, 0),
        "policies": (6, 0),
        "papers": (12, 0),
        "binders": (1, 0),
        "sums": (sums, 0),
    }
    months = await database.pool.fetch(
        "select to_char(booked_on, 'YYYY-MM') as month, count(distinct quote_id) as policies "
        "from premium_transactions group by 1"
    )
    for month, policies in [tuple(row) for row in months] + [("2001-01", 0)]:
        of_month = program.run("book", "verify", "--month", month, "--json").json()
        with subtests.test(month):
            assert {part: each["checked"] for part, each in of_month.items()}["policies"] == policies
            assert not any(each["flawed"] for each in of_month.values())
    assert "'2026-13' is no month" in program.run("book", "verify", "--month", "2026-13").stderr
    for name, (damage, words) in DAMAGE.items():
        async with database.transaction() as tx, tx.trial():
            # As somebody does it who has the password of the database.
            await tx.connection.execute("set local session_replication_role = replica")
            assert await tx.execute(damage) == 1
            found = await look_at_book(tx)
        for part, said in words.items():
            with subtests.test(name, part=part):
                assert said in "\n".join(flaw.what for flaw in found[BookPart(part)].findings), found
        with subtests.test(name, part="others"):
            assert {part for part, each in found.items() if each.flawed} == {*words}


async def test_a_difference_is_named_with_its_policy_and_ends_with_exit_code_1(
    program: Program, service: Service
) -> None:
    policy = await issued(service)
    pool = service.runtime.database.pool
    await pool.execute("alter table quotes disable trigger user")
    await pool.execute("update quotes set premium = premium + 1 where status = 'policy_active'")

    said = program.run("book", "verify")
    listed = program.run("book", "verify", "--json")

    premium = policy["premium"]
    assert (said.code, listed.code) == (1, 1)
    number, quote_id = policy["policy_number"], policy["quote_identifier"]
    assert (
        f"Policies: Quote {quote_id}, {number}: policy_active: the ledger has ${premium:,} and" in said.stdout
    )
    (finding,) = json.loads(listed.stdout)["policies"]["findings"]
    assert finding["quote_id"] == quote_id
    assert "to the cent" not in said.stdout
