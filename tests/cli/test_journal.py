import asyncpg

from support.processes import Program
from support.service import Service

ON_ONE_ENTRY = "where entry = 1 and quote_id = (select min(quote_id::text)::uuid from quotes)"


async def test_a_journal_that_nobody_touched_is_good(program: Program, service: Service) -> None:
    await service.submit()

    assert program.run("journal", "verify").good() == (
        "2 journals with 2 entries are as they were written.\n"
    )


async def test_a_changed_entry_is_named_and_ends_in_one(program: Program, service: Service, dsn: str) -> None:
    await service.submit()
    connection = await asyncpg.connect(dsn)
    await connection.execute("alter table journal disable trigger all")
    await connection.execute(f"update journal set actor = 'somebody else' {ON_ONE_ENTRY}")
    quote_id = await connection.fetchval(f"select quote_id from journal {ON_ONE_ENTRY}")
    await connection.close()

    ended = program.run("journal", "verify")
    listed = program.run("journal", "verify", "--json")

    assert ended.code == listed.code == 1
    assert f"Quote {quote_id}, entry 1: it was changed" in ended.stdout
    assert "Of 2 journals, 1 are not as they were written." in ended.stdout
    assert f'"quote_id": "{quote_id}"' in listed.stdout
    assert '"quotes": 2' in listed.stdout


async def test_an_empty_database_has_nothing_to_complain_of(program: Program) -> None:
    assert program.run("journal", "verify", "--json").json() == {"quotes": 0, "entries": 0, "flaws": []}
