"""Who may hold a certificate, in which words, and lists of holders as CSV."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from bindery.base.errors import InvalidRequest, NotIssued, WrongState
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.documents.access import DocumentState
from bindery.domain.documents.holder_list import COLUMNS, MOST_HOLDERS, PASSED_OVER, read_holder_list
from bindery.domain.documents.holders import (
    LONGEST,
    Holder,
    certificate_number,
    certificates_issued,
    check_certifiable,
    content_hash,
    holder_wordings,
    read_holder,
)

S = QuoteStatus
DAY = date(2027, 3, 1)
WORDINGS = holder_wordings(DAY)
TYPED = {
    "name": "First Harbor Bank, N.A.",
    "street": "12 Wharf Street",
    "street2": "",
    "city": "Boston",
    "state": "",
    "zip": "02110",
    "wording": "lender",
    "description": "",
}
BANK = Holder(**{**TYPED, "state": "MA"})
IN_FORCE = DocumentState(
    product=InsuranceProduct.CYB, status=S.POLICY_ACTIVE, published=True, issued=True, scanned=True
)
A_ZIP = "must be a US postal code such as 19107 or 19107-3615"
HEAD = ",".join(COLUMNS)
ROW = 'First Harbor Bank,12 Wharf Street,,Boston,MA,02110,lender,"Loan 7, note A"'


def flaws(**typed: str) -> list[tuple[str, str]]:
    _, problems = read_holder({**TYPED, **typed}, WORDINGS)
    return [(problem.path, problem.message) for problem in problems]


def refused(content: str | bytes, wording: str = "evidence") -> list[str]:
    """What is said of a list that is not taken."""
    raw = content.encode() if isinstance(content, str) else content
    with pytest.raises(InvalidRequest) as fault:
        read_holder_list(raw, WORDINGS, wording=wording)
    return [f"{problem.path}: {problem.message}" for problem in fault.value.problems]


def taken(content: str, wording: str = "evidence") -> tuple[Holder, ...]:
    return read_holder_list(content.encode(), WORDINGS, wording=wording)


def test_a_holder_is_read_with_the_state_of_the_zip_code() -> None:
    assert read_holder(TYPED, WORDINGS) == (BANK, [])
    assert read_holder({**TYPED, "state": " massachusetts "}, WORDINGS) == (BANK, [])
    assert BANK.lines == ("First Harbor Bank, N.A.", "12 Wharf Street", "Boston, MA 02110")
    assert replace(BANK, street2="Suite 9").lines[2] == "Suite 9"


def test_everything_wrong_with_a_holder_is_said_at_once() -> None:
    wrong = {"name": " ", "street": "", "city": "", "state": "Ontario", "zip": "M5V", "wording": "nice"}

    assert flaws(**wrong) == [
        ("name", "is required"),
        ("street", "is required"),
        ("city", "is required"),
        ("state", "must be one of the 50 states or DC, by full name or two letters"),
        ("zip", A_ZIP),
        ("wording", "must be one of evidence, contract, lease, lender, interest"),
    ]


def test_a_zip_code_outside_the_states_needs_a_state() -> None:
    (flaw,) = flaws(zip="00901")

    assert flaw == ("state", "is required: the ZIP code belongs to none of the 50 states or DC")
    assert flaws(zip="00901", state="NY") == []


@pytest.mark.parametrize("name", LONGEST)
def test_texts_have_their_longest(name: str) -> None:
    longest = LONGEST[name]

    fits = dict(flaws(**{name: "x" * longest}))
    assert "characters" not in fits.get(name, "")
    assert dict(flaws(**{name: "x" * (longest + 1)}))[name] == f"must have at most {longest} characters"


@pytest.mark.parametrize("character", ["\x00", "\n", "\t", "\u202e", "\u2028", "\x1b"])
def test_characters_that_nobody_sees_are_refused(character: str) -> None:
    for name in ("name", "street", "street2", "city", "description"):
        assert flaws(**{name: f"a{character}b"}) == [
            (name, f"must not contain the character U+{ord(character):04X}")
        ]


@pytest.mark.parametrize(
    "promise",
    [
        "Holder is an ADDITIONAL  INSURED",
        "Waiver of subrogation applies",
        "Primary and non-contributory",
        "Loss payee as its interest appears",
        "30 days notice of cancellation",
    ],
)
def test_a_description_promises_nothing_that_takes_an_endorsement(promise: str) -> None:
    ((path, message),) = flaws(description=promise)

    assert path == "description"
    assert message.endswith("takes an endorsement")
    assert flaws(description="Lease of 4 Pier Road, unit 7") == []


def test_no_wording_changes_the_cover() -> None:
    assert next(iter(WORDINGS)) == "evidence"
    for wording in WORDINGS.values():
        assert len(wording.name) <= 60
        text = wording.text.lower()
        assert not any(promise in text for promise in ("we agree", "will notify", "shall", "is covered"))
    assert "not an additional insured, unless an endorsement" in WORDINGS["interest"].text
    assert "nothing is payable to the holder because of it" in WORDINGS["lender"].text


@pytest.mark.parametrize(
    ("changes", "number", "says"),
    [
        ({"status": S.POLICY_CANCELED}, "CYB-1", "Policy CYB-1 is canceled, so no certificate can be issued"),
        ({"status": S.POLICY_EXPIRED}, "CYB-1", "Policy CYB-1 has expired, so no certificate can be issued"),
        ({"status": S.QUOTE_EXPIRED}, "CYB-1", "The binder has lapsed"),
        ({"status": S.QUOTE_EXPIRED}, None, "this quote is not bound"),
        ({"status": S.PUBLISHED}, None, "this quote is not bound"),
        ({"issued": False, "fulfil_by": date(2027, 4, 1)}, "CYB-1", "has come in by April 1, 2027."),
        ({"issued": False}, "CYB-1", "when everything that is owed has come in."),
    ],
)
def test_what_gives_no_cover_has_no_certificate(
    changes: dict[str, Any], number: str | None, says: str
) -> None:
    with pytest.raises(WrongState) as fault:
        check_certifiable(replace(IN_FORCE, **changes), number)

    assert says in fault.value.message
    assert isinstance(fault.value, NotIssued) is ("issued" in changes)


def test_a_policy_in_force_has_certificates_with_numbers_of_its_own() -> None:
    check_certifiable(IN_FORCE, "CYB-26-0001234-7-00")

    assert certificate_number("CYB-26-0001234-7-00", 7) == "C-CYB-26-0001234-7-00-0007"
    assert certificate_number("CYB-26-0001234-7-00", 12_345) == "C-CYB-26-0001234-7-00-12345"


def test_the_journal_names_the_first_holders() -> None:
    issued = certificates_issued([replace(BANK, name=f"Holder {place}") for place in range(5)])

    assert (issued.to, issued.count) == (("Holder 0", "Holder 1", "Holder 2"), 5)


def test_other_facts_or_holders_are_other_certificates() -> None:
    same = content_hash("{}", [BANK])

    assert content_hash("{}", [replace(BANK)]) == same
    assert len({same, content_hash("{ }", [BANK]), content_hash("{}", [BANK, BANK])}) == 3
    assert content_hash("{}", [replace(BANK, description="Loan 8")]) != same


def test_a_list_is_read_row_by_row() -> None:
    first, second = taken(f"{HEAD}\n{ROW}\nPier LLC,4 Pier Road,Unit 7,Salem,,01970,,\n")

    assert first == Holder(
        name="First Harbor Bank",
        street="12 Wharf Street",
        street2="",
        city="Boston",
        state="MA",
        zip="02110",
        wording="lender",
        description="Loan 7, note A",
    )
    assert (second.state, second.wording, second.street2) == ("MA", "evidence", "Unit 7")


@pytest.mark.parametrize(
    "content",
    [
        f"\ufeff{HEAD}\r\n{ROW}\r\n",
        f"{HEAD}\r{ROW}\r",
        f"\n{HEAD}\n\n,,,,,,,\n{ROW}",
        f"{HEAD.upper()},,\n{ROW},,\n",
        f" {HEAD.replace(',', ' , ')}\n{ROW}\n",
        f"number,{HEAD},issued_on,issued_by\nC-1,{ROW},2026-03-01,ann@example.com\n",
        f"{HEAD}\n{ROW.replace('lender', 'Lender or Mortgagee')}",
    ],
    ids=["bom-crlf", "cr", "empty rows", "more columns", "blanks", "list of those issued", "name of wording"],
)
def test_lists_of_every_spreadsheet_are_read(content: str) -> None:
    (holder,) = taken(content)

    assert (holder.name, holder.zip, holder.wording) == ("First Harbor Bank", "02110", "lender")


def test_columns_that_need_not_be_there_may_be_left_out_and_in_any_order() -> None:
    (holder,) = taken("zip,city,street,name\n02110,Boston,12 Wharf Street,First Harbor Bank", "contract")

    assert holder == replace(BANK, name="First Harbor Bank", wording="contract")


def test_every_problem_of_a_list_is_said_with_its_row_and_column() -> None:
    content = (
        f"{HEAD}\n{ROW}\n,12 Wharf Street,,Boston,MA,2110,lender,\n\n"
        f"Pier LLC,4 Pier Road,,Salem,XX,01970,free,\nA,B,,C,MA,02110,,D,E\n{ROW.upper()}\n"
    )

    assert refused(content) == [
        "Row 3, name: is required",
        f"Row 3, zip: {A_ZIP}; its first zero may be missing: 02110",
        "Row 5, state: must be one of the 50 states or DC, by full name or two letters",
        "Row 5, wording: must be one of evidence, contract, lease, lender, interest",
        "Row 6: has more than 8 cells: put a text that has a comma in quotation marks",
        "Row 7: is the same as row 2: remove one of them",
    ]


def test_all_that_is_wrong_with_the_columns_is_said() -> None:
    ours = f"the columns are {', '.join(COLUMNS)}"

    assert refused(f"nmae,street,street,city,,{'x' * 50}\nA,B,C,D,E,F") == [
        "Row 1, column 1: is “nmae”, which is no column of ours: did you mean name?",
        "Row 1, column 3: is street, as a column before it",
        f"Row 1, column 5: has no name; {ours}",
        f"Row 1, column 6: is “{'x' * 40}…”, which is no column of ours; {ours}",
        "Row 1: lacks the columns name, zip",
    ]
    assert refused("name,street,city\nA,B,C") == ["Row 1: lacks the column zip"]
    assert (
        refused("name;street;city;zip\nA;B;C;02110")[-1] == "Row 1: lacks the columns name, street, city, zip"
    )


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "Row 1: lacks the columns name, street, city, zip"),
        (f"{HEAD}\n".encode(), "file: has no holders: each is a row below the names of the columns"),
        (
            f"{HEAD}\n{ROW}".encode("utf-16"),
            "file: is not UTF-8 text: save it as “CSV UTF-8 (comma delimited)”",
        ),
        (f"{HEAD}\nCafé,1 A Street".encode("cp1252"), "file: is not UTF-8 text: save it as"),
        (f"{HEAD}\n{ROW}\x00".encode(), "file: is not text: save it as"),
        (b"PK\x03\x04\x00\x00", "file: is not text: save it as"),
        (f'{HEAD}\n{ROW}\n"Pier LLC,4 Pier Road'.encode(), "Row 3: has a quotation mark that is not closed"),
        (f'"{HEAD}'.encode(), "Row 1: has a quotation mark that is not closed"),
        (
            f"{HEAD}\n{'x' * 140_000},B,,C,MA,02110,,".encode(),
            "Row 2: has a quotation mark that is not closed",
        ),
    ],
    ids=["nothing", "no holders", "utf-16", "cp1252", "nul", "zip", "open quote", "open head", "long cell"],
)
def test_files_that_are_no_list_are_refused(content: bytes, says: str) -> None:
    (said,) = refused(content)

    assert said.startswith(says)


def test_a_list_has_at_most_two_hundred_holders() -> None:
    rows = [f"Holder {place},{place} Main Street,,Boston,,02110,," for place in range(MOST_HOLDERS + 1)]

    assert len(taken("\n".join([HEAD, *rows[:-1]]))) == MOST_HOLDERS == 200
    assert refused("\n".join([HEAD, *rows])) == ["file: has 201 holders: at most 200 fit in a file"]


def test_what_is_wrong_in_every_row_is_listed_as_far_as_somebody_reads() -> None:
    with pytest.raises(InvalidRequest) as fault:
        taken("\n".join([HEAD, *(f"Holder {place},,,,,1,," for place in range(100))]))

    assert (len(fault.value.problems), fault.value.left_out) == (100, 200)


def test_the_columns_that_are_passed_over_are_none_of_a_holder() -> None:
    assert not {*PASSED_OVER} & {*COLUMNS}
