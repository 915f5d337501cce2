"""What an uploaded application turns out to be."""

import time
from collections.abc import Callable

import pytest

from bindery.contract.documents import UploadFinding
from bindery.domain.documents.application_matching import (
    ApplicationMark,
    JudgedUpload,
    PaperReading,
    judge_paper,
    match_application,
)
from bindery.domain.policy.binding import Evidence, best_evidence
from support.tables import each_row

OURS = "01a1de7b-5da4-73d3-a049-ca51be2ef114"
OTHER = "01a1de7b-0000-73d3-a049-ca51be2ef999"
ISSUED = ApplicationMark(OURS, "ab" * 32)
MARK = f"BINDERY:APP:{OURS}:{'ab' * 32}"
ISSUED_TEXT = (
    f"Application of Harborlight Bakery LLC. Are backups kept offline? Yes. Any claims? No. Signature. {MARK}"
)


def verdict_of(reading: PaperReading, issued_text: str | None = None) -> UploadFinding:
    return match_application(reading, ISSUED, issued_text=issued_text).verdict


def altered(what: str) -> JudgedUpload:
    return JudgedUpload(
        UploadFinding.ALTERED,
        f"The application differs from the one that was issued with this quote: {what}. "
        "Have the issued one signed without changes and upload it.",
    )


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
    assert match_application(reading, ISSUED) == JudgedUpload(
        UploadFinding.MATCHED, "This is the application that was issued with the quote."
    )


def test_the_mark_of_another_quote_is_recognized() -> None:
    finding = match_application(PaperReading(text=MARK.replace(OURS, OTHER)), ISSUED)

    assert finding == JudgedUpload(
        UploadFinding.OTHER_QUOTE,
        f"This is the application of quote {OTHER}. Upload the one that was issued with this quote.",
    )


def test_another_fingerprint_for_the_same_quote_is_an_alteration() -> None:
    finding = match_application(PaperReading(text=MARK.replace("ab", "cd")), ISSUED)

    assert finding == altered("its fingerprint differs")


def test_one_file_with_the_applications_of_several_quotes_matches_by_its_own() -> None:
    assert verdict_of(PaperReading(text=f"{MARK.replace(OURS, OTHER)} {MARK}")) is UploadFinding.MATCHED


def test_a_right_and_a_wrong_fingerprint_together_are_an_alteration() -> None:
    assert verdict_of(PaperReading(text=MARK.replace("ab", "cd"), codes=(MARK,))) is UploadFinding.ALTERED


@pytest.mark.parametrize(
    "text",
    [
        "A letter about something else.",
        f"BINDERY:APP:{OURS}",
        f"BINDERY:APP:{OURS}:{'ab' * 31}",
        f"BINDERY:APP:{OURS}:{'AB' * 32}",
        f"bindery:app:{OURS}:{'ab' * 32}",
    ],
)
def test_words_without_a_whole_mark_are_not_recognized(text: str) -> None:
    assert match_application(PaperReading(text=text), ISSUED) == JudgedUpload(
        UploadFinding.NOT_RECOGNIZED,
        "No application that was issued here is recognized in the file. Check that it is the right one.",
    )


@pytest.mark.parametrize(
    "reading",
    [
        pytest.param(PaperReading(text=" \n"), id="no words"),
        pytest.param(PaperReading(text="An appl1cation", pictured=True), id="recognized words of a scan"),
        pytest.param(PaperReading(pictured=True, codes=("https://example.com",)), id="a photo"),
    ],
)
def test_a_picture_without_a_mark_is_unreadable(reading: PaperReading) -> None:
    assert match_application(reading, ISSUED) == JudgedUpload(
        UploadFinding.UNREADABLE, "No text and no code of an application could be read in the file."
    )


@pytest.mark.parametrize("judge", [judge_paper, lambda reading: match_application(reading, ISSUED)])
def test_a_paper_that_could_not_be_read_keeps_the_reason(
    judge: Callable[[PaperReading], JudgedUpload],
) -> None:
    assert judge(PaperReading(flaw="it is encrypted")) == JudgedUpload(
        UploadFinding.UNREADABLE, "Nothing could be read from the file: it is encrypted."
    )


@pytest.mark.parametrize("judge", [judge_paper, lambda reading: match_application(reading, ISSUED)])
def test_a_damaged_paper_is_asked_for_again(judge: Callable[[PaperReading], JudgedUpload]) -> None:
    assert judge(PaperReading(flaw="it cannot be opened", damaged=True)) == JudgedUpload(
        UploadFinding.DAMAGED, "The file is damaged: it cannot be opened. Upload it again."
    )


@each_row(
    ("findings", "paper"),
    [
        ([], Evidence.NONE),
        ([UploadFinding.NOT_COMPARED], Evidence.NONE),
        ([UploadFinding.MATCHED], Evidence.ACCEPTED),
        ([UploadFinding.UNREADABLE], Evidence.ACCEPTED),
        ([UploadFinding.NOT_RECOGNIZED], Evidence.ACCEPTED),
        ([UploadFinding.DAMAGED], Evidence.DAMAGED),
        ([UploadFinding.DAMAGED, UploadFinding.OTHER_QUOTE], Evidence.OTHER_QUOTE),
        ([UploadFinding.DAMAGED, UploadFinding.OTHER_QUOTE, UploadFinding.ALTERED], Evidence.ALTERED),
        ([UploadFinding.ALTERED, UploadFinding.DAMAGED, UploadFinding.MATCHED], Evidence.ACCEPTED),
        ([UploadFinding.DAMAGED, UploadFinding.UNREADABLE], Evidence.ACCEPTED),
    ],
)
def test_of_several_files_the_best_one_counts(findings: list[UploadFinding], paper: Evidence) -> None:
    assert best_evidence(findings) is paper


@pytest.mark.parametrize(
    "unit",
    [
        pytest.param("BINDERY:APP:", id="beginnings of marks"),
        pytest.param("BINDERY:APP:" + "a" * 64 + ":", id="marks without a fingerprint"),
        pytest.param(f"BINDERY:APP:{OURS}:{'ab' * 31}a\n", id="fingerprints cut short"),
        pytest.param("BINDERY:APP:x:" + "0123456789abcdef" * 4, id="marks of other quotes"),
        pytest.param("a ", id="words"),
        pytest.param(" \n\t", id="blanks"),
    ],
)
def test_a_hostile_text_is_judged_in_a_time_that_grows_with_its_length(unit: str) -> None:
    def judge(length: int) -> float:
        text = MARK + unit * (length // len(unit))
        started = time.process_time()
        match_application(PaperReading(text=text), ISSUED, issued_text=ISSUED_TEXT)
        return time.process_time() - started

    short = min(judge(100_000) for _ in range(3))
    long = min(judge(800_000) for _ in range(3))

    # Eight times the text: eight times as long, where a square would take 64 times.
    assert long < 24 * short + 0.05


def test_the_same_words_match() -> None:
    assert verdict_of(PaperReading(text=ISSUED_TEXT), ISSUED_TEXT) is UploadFinding.MATCHED


def test_words_that_signing_adds_anywhere_do_not_count() -> None:
    signed = ISSUED_TEXT.replace("Signature.", "Signature. Ann Example, President, 11/16/2026")

    assert (
        verdict_of(PaperReading(text=f"Envelope 42 {signed} Envelope 42"), ISSUED_TEXT)
        is UploadFinding.MATCHED
    )


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

    assert finding == altered(note)


def test_recognized_text_of_a_scan_is_not_held_against_it() -> None:
    misread = PaperReading(text=ISSUED_TEXT.replace("No.", "N0."), pictured=True)

    assert verdict_of(misread, ISSUED_TEXT) is UploadFinding.MATCHED


def test_a_text_that_hardly_resembles_the_issued_one_counts_by_its_mark_alone() -> None:
    cover_letter = PaperReading(text=f"Please find enclosed the application {MARK}")

    assert verdict_of(cover_letter, ISSUED_TEXT) is UploadFinding.MATCHED


def test_a_supporting_paper_is_not_compared() -> None:
    assert judge_paper(PaperReading(text=MARK)) == JudgedUpload(
        UploadFinding.NOT_COMPARED,
        "The file is kept. Only files for the signature contingency are compared with the application.",
    )
