"""What an uploaded application turns out to be."""

import pytest

from bindery.domain.application_matching import (
    ApplicationMark,
    Finding,
    PaperReading,
    Verdict,
    judge_paper,
    match_application,
)

OURS = "01a1de7b-5da4-73d3-a049-ca51be2ef114"
OTHER = "01a1de7b-0000-73d3-a049-ca51be2ef999"
ISSUED = ApplicationMark(OURS, "ab" * 32)
MARK = f"BINDERY:APP:{OURS}:{'ab' * 32}"
ISSUED_TEXT = (
    f"Application of Harborlight Bakery LLC. Are backups kept offline? Yes. Any claims? No. Signature. {MARK}"
)


def verdict_of(reading: PaperReading, issued_text: str | None = None) -> Verdict:
    return match_application(reading, ISSUED, issued_text=issued_text).verdict


@pytest.mark.parametrize(
    "reading",
    [
        pytest.param(PaperReading(text=f"before {MARK} after"), id="in the text"),
        pytest.param(PaperReading(text=f"{MARK[:40]}\n{MARK[40:]}"), id="broken over two lines"),
        pytest.param(PaperReading(codes=(MARK,)), id="as a code"),
        pytest.param(PaperReading(codes=("https://example.com", MARK)), id="among other codes"),
    ],
)
def test_the_issued_mark_matches_wherever_it_is_found(reading: PaperReading) -> None:
    assert match_application(reading, ISSUED) == Finding(
        Verdict.MATCHED, "Identifier and fingerprint are those of the issued one.", readable=True
    )


def test_the_mark_of_another_quote_is_recognised() -> None:
    finding = match_application(PaperReading(text=MARK.replace(OURS, OTHER)), ISSUED)

    assert finding == Finding(Verdict.OTHER_QUOTE, f"It is the application of quote {OTHER}.", readable=True)


def test_another_fingerprint_for_the_same_quote_is_an_alteration() -> None:
    finding = match_application(PaperReading(text=MARK.replace("ab", "cd")), ISSUED)

    assert finding == Finding(
        Verdict.ALTERED, "Its fingerprint is not that of the one issued.", readable=True
    )


def test_one_file_with_the_applications_of_several_quotes_matches_by_its_own() -> None:
    assert verdict_of(PaperReading(text=f"{MARK.replace(OURS, OTHER)} {MARK}")) is Verdict.MATCHED


def test_a_right_and_a_wrong_fingerprint_together_are_an_alteration() -> None:
    assert verdict_of(PaperReading(text=MARK.replace("ab", "cd"), codes=(MARK,))) is Verdict.ALTERED


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A letter about something else.",
        f"BINDERY:APP:{OURS}",
        f"BINDERY:APP:{OURS}:{'ab' * 31}",
        f"BINDERY:APP:{OURS}:{'AB' * 32}",
        f"bindery:app:{OURS}:{'ab' * 32}",
    ],
)
def test_a_paper_without_a_whole_mark_is_unreadable(text: str) -> None:
    assert match_application(PaperReading(text=text), ISSUED) == Finding(
        Verdict.UNREADABLE, "No identifier of an application was found in it.", readable=True
    )


def test_a_paper_that_could_not_be_read_keeps_the_reason() -> None:
    finding = match_application(PaperReading(flaw="The file is encrypted."), ISSUED)

    assert finding == Finding(Verdict.UNREADABLE, "The file is encrypted.", readable=False)


def test_the_same_words_match() -> None:
    assert verdict_of(PaperReading(text=ISSUED_TEXT), ISSUED_TEXT) is Verdict.MATCHED


def test_words_that_signing_adds_anywhere_do_not_count() -> None:
    signed = ISSUED_TEXT.replace("Signature.", "Signature. Ann Example, President, 11/16/2026")

    assert verdict_of(PaperReading(text=f"Envelope 42 {signed} Envelope 42"), ISSUED_TEXT) is Verdict.MATCHED


@pytest.mark.parametrize(
    ("before", "after", "note"),
    [
        ("Any claims? No.", "Any claims? Yes.", "No"),
        ("Any claims? No.", "", "Any, claims, No"),
        ("offline? Yes. Any claims? No.", "offline? No. Any claims? Yes.", "the order of its words"),
    ],
)
def test_a_changed_answer_under_the_right_mark_is_an_alteration(before: str, after: str, note: str) -> None:
    finding = match_application(
        PaperReading(text=ISSUED_TEXT.replace(before, after)), ISSUED, issued_text=ISSUED_TEXT
    )

    assert finding == Finding(
        Verdict.ALTERED, f"Its text is not that of the one issued: {note}.", readable=True
    )


def test_recognised_text_of_a_scan_is_not_held_against_it() -> None:
    misread = PaperReading(text=ISSUED_TEXT.replace("No.", "N0."), pictured=True)

    assert verdict_of(misread, ISSUED_TEXT) is Verdict.MATCHED


def test_a_text_that_hardly_resembles_the_issued_one_counts_by_its_mark_alone() -> None:
    cover_letter = PaperReading(text=f"Please find enclosed the application {MARK}")

    assert verdict_of(cover_letter, ISSUED_TEXT) is Verdict.MATCHED


def test_a_supporting_paper_is_not_compared() -> None:
    assert judge_paper(PaperReading(text=MARK)) == Finding(
        Verdict.NOT_COMPARED, "Not an application for the signature contingency.", readable=True
    )


def test_a_supporting_paper_that_cannot_be_read_is_flagged() -> None:
    assert judge_paper(PaperReading(flaw="The file is encrypted.")) == Finding(
        Verdict.NOT_COMPARED, "The file is encrypted.", readable=False
    )
