"""How papers read and print: text that can be searched and copied, lines that break where they may.

What they say is in `test_what_papers_say`, `test_what_bound_papers_say` and `test_people_and_days`; page
breaks are in `test_layout` and `test_gallery_pages`; fields in `test_fields`; tags in `test_standards`.
"""

import io
import re
from typing import Any, Final

import pikepdf
import pypdf
import pypdfium2
import pytest

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents import render
from documents.cases import facts_of
from documents.measuring import pages_of_lines
from documents.reading import HEAD, squeezed, text_by_pypdf, text_of
from documents.review_cases import CONDITIONAL, DOMAINS, LONG_NAME, case, kinds_of, made, read

D = DocumentType
P = InsuranceProduct
MONTHS: Final = "January|February|March|April|May|June|July|August|September|October|November|December"
BROKEN: Final = re.compile(rf"(\b({MONTHS})( \d\d?,)?|\+1( 555)?( 010)?|\be-)$")
UNPRINTED: Final = "\u200b\u2060\ufeff"
EDGE: Final = 24
FEW: Final = ("A bound", "E", "C issued", "R CYB issued", "H")
IN_SHORT: Final = ("A bound", "E", "R CYB issued")
PRINTED: Final = [
    pytest.param(name, kind, marks=() if name in IN_SHORT else pytest.mark.long)
    for name in FEW
    for kind in kinds_of(name)
]
"""The papers of a few cases: all products, states of a quote and long texts are among them."""


def raw_text(pdf: bytes) -> str:
    return "\n".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(pdf))


def lines_of(pdf: bytes) -> list[str]:
    return [line for page in pages_of_lines(pdf) for line in page.lines]


def head_of(pdf: bytes, number: int) -> str:
    """The running head of a page, counted from 0."""
    page = pypdfium2.PdfDocument(pdf)[number]
    height = page.get_height()
    found = page.get_textpage().get_text_bounded(0, height - HEAD, page.get_width(), height - EDGE)
    return str(found)


@pytest.mark.parametrize(("name", "kind"), PRINTED)
def test_no_unseen_character_stands_between_letters(name: str, kind: D) -> None:
    assert not set(UNPRINTED) & set(raw_text(made(name, kind)))


def test_another_reader_finds_no_unseen_character_either() -> None:
    reader = pypdf.PdfReader(io.BytesIO(made("E", D.BINDER)))

    assert not set(UNPRINTED) & set("".join(page.extract_text() for page in reader.pages))


def test_long_words_and_addresses_can_be_searched_for() -> None:
    letter, report = made("CYB", D.QUOTE_LETTER), made("CYB", D.SECURITY_REPORT)

    for text in (text_of(letter), text_by_pypdf(letter)):
        assert "underwriting@bindery.example" in text
        assert case("CYB").quote_identifier in text
    assert "Strict-Transport-Security" in text_of(report).replace("- ", "-").replace("\ufffe", "-")


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("E", D.BINDER, "COVERAGE IS BOUND"),
        ("CYB bound", D.BINDER, "BINDER"),
        ("E", D.SECURITY_LETTER, "INCIDENT HOTLINE"),
        ("CYB", D.QUOTE_LETTER, "TOTAL DUE"),
        ("CYB", D.QUOTE_LETTER, "SURPLUS LINES · CYBER · TECHNOLOGY · PROFESSIONAL"),
    ],
)
def test_capitals_are_read_as_words(name: str, kind: D, words: str) -> None:
    assert words in read(name, kind)
    assert words in text_by_pypdf(made(name, kind))


def test_the_watermark_is_a_drawing_and_no_text() -> None:
    assert "SPECIMEN" not in read("CYB", D.POLICY_SPECIMEN)


@pytest.mark.parametrize(
    ("name", "kind", "target"),
    [
        ("CYB", D.QUOTE_LETTER, "mailto:underwriting@bindery.example"),
        ("CYB", D.QUOTE_LETTER, "mailto:broker@example.com"),
        ("CYB bound", D.SECURITY_LETTER, "tel:+15550100199"),
        ("CYB", D.SECURITY_REPORT, "https://bindery.example/scanning"),
    ],
)
def test_addresses_and_telephone_numbers_are_links(name: str, kind: D, target: str) -> None:
    with pikepdf.open(io.BytesIO(made(name, kind))) as pdf:
        actions = [note.get("/A") for page in pdf.pages for note in page.get("/Annots", pikepdf.Array())]
        targets = {str(action.get("/URI", "")) for action in actions if action is not None}

    assert target in targets


@pytest.mark.long
@pytest.mark.parametrize(("name", "kind"), [*PRINTED, *(("B bound", kind) for kind in kinds_of("B bound"))])
def test_dates_telephone_numbers_and_email_stand_on_one_line(name: str, kind: D) -> None:
    assert [line for line in lines_of(made(name, kind)) if BROKEN.search(line)] == []


def test_a_line_that_ends_within_a_date_would_be_found() -> None:
    assert BROKEN.search("from November")
    assert BROKEN.search("from December 1,")
    assert BROKEN.search("call +1")
    assert not BROKEN.search("from December 1, 2026")


@pytest.mark.parametrize("day", ["2026-11-20", "2026-12-14", "2026-11-30"])
def test_the_box_of_a_binder_holds_any_date_on_one_line(day: str) -> None:
    def begins(body: dict[str, Any]) -> None:
        body["policy"]["dates"] |= {"effective": day, "expiration": day.replace("2026", "2027")}

    pdf = render(D.BINDER, facts_of(P.CYB, begins, binding=CONDITIONAL))
    text = pypdfium2.PdfDocument(pdf)[0].get_textpage().get_text_range()

    month, number = {"11": "November", "12": "December"}[day[5:7]], int(day[8:])
    after = text[text.index("BINDER") :].splitlines()
    assert after[1].strip() == f"{month} {number}, 2026"


@pytest.mark.long
@pytest.mark.parametrize("kind", [D.QUOTE_LETTER, D.BINDER, D.APPLICATION, D.POLICY, D.POLICY_SPECIMEN])
@pytest.mark.parametrize("name", ["C issued", "D", "E"])
def test_titles_stand_on_one_line(name: str, kind: D) -> None:
    pdf = made(name, kind)
    title = next(iter(pypdfium2.PdfDocument(pdf).get_toc())).get_title()

    assert any(title in line for line in pages_of_lines(pdf)[0].lines)


def test_a_running_head_takes_the_width_that_is_free() -> None:
    short = head_of(made("D", D.POLICY), 4)
    long = head_of(made("A bound", D.BINDER), 1)
    form = head_of(made("TEO", D.POLICY_SPECIMEN), 1)

    assert "Bayou Code, Inc." in short
    assert LONG_NAME[:55] in long
    assert "…" in long
    assert len(long.splitlines()) <= 2
    assert "Technology Errors and Omissions and Cyber Insurance Policy" in form


def test_questions_that_were_not_asked_are_one_line() -> None:
    for name in ("CYB", "TEO", "MPL"):
        text = read(name, D.APPLICATION)
        unasked = [question.id for question in case(name).questions if question.answer is None]
        assert text.count("Not asked of this applicant") == 1
        assert "not asked of this applicant" not in text
        said = text[text.index("Not asked of this applicant") :]
        assert unasked
        assert all(question in said for question in unasked)


def test_long_answers_take_the_width_of_the_page() -> None:
    widest = 0.0
    for page in pypdfium2.PdfDocument(made("A", D.APPLICATION)):
        text = page.get_textpage()
        for place in range(text.count_rects()):
            left, bottom, right, top = text.get_rect(place)
            if "eleven servers" in text.get_text_bounded(left, bottom, right, top):
                widest = max(widest, right - left)

    assert widest > 380


def test_an_answer_that_goes_on_stands_under_its_question_on_every_page() -> None:
    question = "What happened in each cyber event, loss or claim?"
    pages = [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(made("A", D.APPLICATION))]
    began = next(place for place, text in enumerate(pages) if question in text)

    goes_on = pages[began + 1]
    assert goes_on.index(question) < goes_on.index("eleven servers")


def test_domains_and_the_machine_readable_line_are_unbroken() -> None:
    text, lines = read("A", D.APPLICATION), lines_of(made("A", D.APPLICATION))
    # Places where a word may break part it for who measures, not for who reads.
    unparted = [squeezed(line) for line in lines]

    assert all(domain in text for domain in DOMAINS)
    assert all(any(domain in line for line in unparted) for domain in DOMAINS)
    assert any(case("A").application_mark in line for line in unparted)
    assert not set(lines) & {question.id for question in case("A").questions}


def test_a_domain_in_other_letters_is_written_in_them() -> None:
    def abroad(body: dict[str, Any]) -> None:
        body["client"]["domains"] = ["xn--bcher-kva.example"]

    assert "bücher.example (xn--bcher-kva.example)" in text_of(render(D.APPLICATION, facts_of(P.CYB, abroad)))


def test_a_report_explains_its_words_and_says_notes_once() -> None:
    text = read("A", D.SECURITY_REPORT)

    for word in ("CAA a record", "DNSSEC signatures", "Zone the part"):
        assert word in text
    assert text.count("simulated, nothing was contacted") == 1
    assert "all 75 domains: simulated, nothing was contacted" in text
    assert len(made("A", D.SECURITY_REPORT)) < 200 * 1024


def test_the_contents_do_not_list_themselves() -> None:
    text = read("E", D.POLICY)
    contents = text[text.index("Contents Cyber Policy Declarations") :]

    assert contents[: contents.index("Signatures .")].count("Contents") == 1


@pytest.mark.parametrize(("name", "rates"), [("E", ("3.00%", "0.18%")), ("C issued", ("3.0%", "1.8%"))])
def test_rates_beside_each_other_have_as_many_places(name: str, rates: tuple[str, ...]) -> None:
    for kind in (D.QUOTE_LETTER, D.BINDER, D.BILLING_STATEMENT, D.POLICY):
        text = read(name, kind)
        assert re.findall(r"\d+(?:\.\d+)?%(?= \$\d+\.\d\d)", text)[:2] == list(rates)


@pytest.mark.parametrize(("name", "kind"), [*PRINTED, ("MPL bound", D.SECURITY_LETTER), ("D", D.POLICY)])
def test_apostrophes_and_dashes_are_those_of_print(name: str, kind: D) -> None:
    text = read(name, kind)

    assert "'" not in text
    assert " - " not in text


def test_the_slip_says_who_pays_and_a_complaint_where_it_goes() -> None:
    assert "From Golden State Orchards, Inc." in read("E", D.BILLING_STATEMENT)
    assert "Address 300 South Spring Street, Los Angeles, CA 90013" in read("E", D.POLICY)
