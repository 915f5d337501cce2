"""Identifiers of version 0.1 from a CSV file."""

import asyncio
from pathlib import Path

from support.processes import Ended, Program
from support.service import Service

HEADER = "kind,old_id,new_id\n"


async def import_file(program: Program, partner: str, content: str | bytes) -> Ended:
    file = program.folder / "ids.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return await asyncio.to_thread(program.run, "legacy", "import", str(file), "--partner", partner)


async def test_an_imported_identifier_finds_the_quote(service: Service, program: Program) -> None:
    receipt = await service.submit()
    quote_id, company_id = receipt["quotes"][0]["quote_identifier"], receipt["company_id"]

    imported = await import_file(
        program, service.partner.name, f"{HEADER}quote,Q-0001,{quote_id}\ncompany,C_0001,{company_id}\n"
    )
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
        service.partner.name,
        f"{HEADER}quote,good,{quote_id}\npolicy,P1,{quote_id}\nquote,has space,{quote_id}\ncompany,C1,12\n",
    )

    sentence = refused.complaint
    assert sentence.startswith("ids.csv: ")
    assert [f"line {number}" in sentence for number in (2, 3, 4, 5)] == [False, True, True, True]
    assert await service.count("legacy_ids") == 0


async def test_new_identifiers_that_nothing_has_are_named(service: Service, program: Program) -> None:
    unknown = "01890000-0000-7000-8000-000000000000"

    refused = await import_file(program, service.partner.name, f"{HEADER}quote,Q1,{unknown}\n")

    assert refused.complaint == f"The partner {service.partner.name} has nothing with the new_id {unknown}."
    assert await service.count("legacy_ids") == 0


async def test_a_file_cannot_take_over_what_belongs_to_another_partner(
    service: Service, program: Program
) -> None:
    stranger = await service.new_partner("stranger")
    own = (await service.submit())["quotes"][0]["quote_identifier"]
    theirs = await stranger.submit()
    their_quote, their_company = theirs["quotes"][0]["quote_identifier"], theirs["company_id"]
    (await import_file(program, "stranger", f"{HEADER}quote,Q-1,{their_quote}\n")).good()

    for row in (f"quote,Q-1,{their_quote}", f"company,C-1,{their_company}"):
        refused = await import_file(program, service.partner.name, f"{HEADER}{row}\n")

        assert "with the new_id" in refused.complaint
    (await import_file(program, service.partner.name, f"{HEADER}quote,Q-1,{own}\n")).good()
    found = [(await partner.get("/v2/quotes/Q-1")).json() for partner in (service, stranger)]

    assert [body["quote_identifier"] for body in found] == [own, their_quote]
    assert await service.count("legacy_ids") == 2


async def test_a_later_file_corrects_an_earlier_one(service: Service, program: Program) -> None:
    first, second = [(await service.submit())["quotes"][0]["quote_identifier"] for _ in range(2)]

    for quote_id in (first, second):
        (await import_file(program, service.partner.name, f"{HEADER}quote,Q-1,{quote_id}\n")).good()

    assert (await service.get("/v2/quotes/Q-1")).json()["quote_identifier"] == second


async def test_a_partner_that_is_not_there_is_named(service: Service, program: Program) -> None:
    quote_id = (await service.submit())["quotes"][0]["quote_identifier"]

    refused = await import_file(program, "nobody", f"{HEADER}quote,Q-1,{quote_id}\n")

    assert refused.complaint == "There is no partner 'nobody'; add it with `bindery partner add`."
    assert await service.count("legacy_ids") == 0


async def test_a_file_that_is_no_csv_is_refused(program: Program) -> None:
    refused = await import_file(program, "anybody", b"\xff\xfe\x00kind")

    assert refused.complaint.startswith("ids.csv is not a CSV file in UTF-8: ")


async def test_a_file_without_the_columns_is_refused(program: Program) -> None:
    refused = await import_file(program, "anybody", "old,new\na,b\n")

    assert refused.complaint.startswith("ids.csv: ")


def test_a_folder_is_no_file(program: Program, tmp_path: Path) -> None:
    refused = program.run("legacy", "import", str(tmp_path), "--partner", "anybody")

    assert refused.complaint.startswith("Invalid value for 'FILE.csv': ")
