"""Identifiers of version 0.1 from a CSV file."""

import asyncio
from pathlib import Path

from support.processes import Ended, Program
from support.service import Service

HEADER = "kind,old_id,new_id\n"


async def import_file(program: Program, content: str | bytes) -> Ended:
    file = program.folder / "ids.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return await asyncio.to_thread(program.run, "legacy", "import", str(file))


async def test_an_imported_identifier_finds_the_quote(service: Service, program: Program) -> None:
    receipt = await service.submit()
    quote_id, company_id = receipt["quotes"][0]["quote_identifier"], receipt["company_id"]

    imported = await import_file(program, f"{HEADER}quote,Q-0001,{quote_id}\ncompany,C_0001,{company_id}\n")
    answer = await service.get("/v2/quotes/Q-0001")

    assert imported.good() == "Took in 2 identifiers.\n"
    assert answer.status_code == 202
    assert answer.json()["quote_identifier"] == quote_id


async def test_bad_rows_are_named_by_their_line_and_nothing_is_taken_in(
    service: Service, program: Program
) -> None:
    quote_id = (await service.submit())["quotes"][0]["quote_identifier"]

    refused = await import_file(
        program,
        f"{HEADER}quote,good,{quote_id}\npolicy,P1,{quote_id}\nquote,has space,{quote_id}\ncompany,C1,12\n",
    )

    sentence = refused.complaint
    assert sentence.startswith("ids.csv: ")
    assert [f"line {number}" in sentence for number in (2, 3, 4, 5)] == [False, True, True, True]
    assert await service.count("legacy_ids") == 0


async def test_new_identifiers_that_nothing_has_are_named(service: Service, program: Program) -> None:
    unknown = "01890000-0000-7000-8000-000000000000"

    refused = await import_file(program, f"{HEADER}quote,Q1,{unknown}\n")

    assert refused.complaint == f"ids.csv: nothing here has the new_id {unknown}."
    assert await service.count("legacy_ids") == 0


async def test_a_file_that_is_no_csv_is_refused(program: Program) -> None:
    refused = await import_file(program, b"\xff\xfe\x00kind")

    assert refused.complaint.startswith("ids.csv is not a CSV file in UTF-8: ")


async def test_a_file_without_the_columns_is_refused(program: Program) -> None:
    refused = await import_file(program, "old,new\na,b\n")

    assert refused.complaint.startswith("ids.csv: ")


def test_a_folder_is_no_file(program: Program, tmp_path: Path) -> None:
    refused = program.run("legacy", "import", str(tmp_path))

    assert refused.complaint.startswith("Invalid value for 'FILE.csv': ")
