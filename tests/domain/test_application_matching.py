"""What an uploaded application turns out to be."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from bindery.contract.documents import SignatureFinding, UploadFinding
from bindery.domain.documents.application_marks import ApplicationMark, page_mark
from bindery.domain.documents.application_matching import (
    Box,
    JudgedUpload,
    PagesSeen,
    PaperReading,
    ReadPage,
    judge_other,
    judge_paper,
    judge_unsigned,
    match_application,
    other_quote_in,
)
from bindery.domain.policy.evidence import Evidence, best_evidence
from support.tables import each_row

OURS = "01a1de7b-5da4-73d3-a049-ca51be2ef114"
OTHER = "01a1de7b-0000-73d3-a049-ca51be2ef999"
ISSUED = ApplicationMark(OURS, "ab" * 32)
MARK = f"BINDERY:APP:{OURS}:{'ab' * 32}"
ISSUED_TEXT = (
    f"Application of Harborlight Bakery LLC. Are backups kept offline? Yes. Any claims? No. Signature. {MARK}"
)


F, N, C = SignatureFinding.FOUND, SignatureFinding.NOT_FOUND, SignatureFinding.CANNOT_TELL
ALTERED = (
    "The application differs from the one that was issued with this quote. "
    "Have the issued one signed without changes and upload it."
)


def compared(text: str, *, block: str = "", **more: Any) -> PaperReading:
    """Return the reading of an application of one page that was compared with the issued one."""
    page = ReadPage(number=1, body=text, block=block)
    return PaperReading(text=text, pages=(page,), issued=(ISSUED_TEXT,), signature_page=1, **more)


def verdict_of(reading: PaperReading) -> UploadFinding:
    return match_application(reading, ISSUED).verdict


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
        UploadFinding.MATCHED,
        "This is the application that was issued with the quote. We cannot see whether it is signed.",
        C,
    )


def test_the_mark_of_another_quote_is_recognized() -> None:
    reading = PaperReading(text=MARK.replace(OURS, OTHER))

    assert other_quote_in(reading, ISSUED) == OTHER
    assert judge_other(reading, company="another company") == JudgedUpload(
        UploadFinding.OTHER_QUOTE,
        "This is the application of another company. Upload the one that was issued with this quote.",
        C,
    )


def test_a_page_alone_is_known_by_the_code_in_its_margin() -> None:
    own = PaperReading(codes=(page_mark(OURS, ISSUED.fingerprint, 2),), pictured=True)
    others = PaperReading(codes=(page_mark(OTHER, ISSUED.fingerprint, 2),), pictured=True)
    changed = PaperReading(codes=(page_mark(OURS, "cd" * 32, 2),), pictured=True)

    assert verdict_of(own) is UploadFinding.MATCHED
    assert other_quote_in(own, ISSUED) is None
    assert other_quote_in(others, ISSUED) == OTHER
    assert verdict_of(changed) is UploadFinding.ALTERED


def test_another_fingerprint_for_the_same_quote_is_an_alteration() -> None:
    finding = match_application(PaperReading(text=MARK.replace("ab", "cd")), ISSUED)

    assert finding == JudgedUpload(UploadFinding.ALTERED, ALTERED, C)


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
        C,
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
        UploadFinding.UNREADABLE, "No text and no code of an application could be read in the file.", C
    )


@pytest.mark.parametrize("judge", [judge_paper, lambda reading: match_application(reading, ISSUED)])
def test_a_paper_that_could_not_be_read_keeps_the_reason(
    judge: Callable[[PaperReading], JudgedUpload],
) -> None:
    found = judge(PaperReading(flaw="it is encrypted"))

    assert (found.verdict, found.note) == (
        UploadFinding.UNREADABLE,
        "Nothing could be read from the file: it is encrypted.",
    )


@pytest.mark.parametrize("judge", [judge_paper, lambda reading: match_application(reading, ISSUED)])
def test_a_damaged_paper_is_asked_for_again(judge: Callable[[PaperReading], JudgedUpload]) -> None:
    found = judge(PaperReading(flaw="it cannot be opened", damaged=True))

    assert (found.verdict, found.note) == (
        UploadFinding.DAMAGED,
        "The file is damaged: it cannot be opened. Upload it again.",
    )


def file(
    verdict: UploadFinding, signature: SignatureFinding | None = None, *seen: int, unclear: int = 0
) -> JudgedUpload:
    pages = PagesSeen(seen, unclear, 3) if seen or unclear else None
    return JudgedUpload(verdict, "", signature, pages)


U = UploadFinding
SIGNED, UNSIGNED = file(U.MATCHED, F, 1, 2, 3), file(U.MATCHED, N, 1, 2, 3)


@each_row(
    ("files", "paper"),
    [
        ([], Evidence.NONE),
        ([file(U.NOT_COMPARED)], Evidence.NONE),
        ([file(U.MATCHED)], Evidence.ACCEPTED),
        ([file(U.UNREADABLE)], Evidence.ACCEPTED),
        ([file(U.NOT_RECOGNIZED)], Evidence.ACCEPTED),
        ([file(U.DAMAGED)], Evidence.DAMAGED),
        ([file(U.DAMAGED), file(U.OTHER_QUOTE)], Evidence.OTHER_QUOTE),
        ([file(U.DAMAGED), file(U.OTHER_QUOTE), file(U.ALTERED)], Evidence.ALTERED),
        ([file(U.ALTERED), file(U.DAMAGED), file(U.MATCHED)], Evidence.ACCEPTED),
        ([file(U.DAMAGED), file(U.UNREADABLE)], Evidence.ACCEPTED),
        ([SIGNED], Evidence.ACCEPTED),
        ([UNSIGNED], Evidence.NOT_SIGNED),
        ([UNSIGNED, SIGNED], Evidence.ACCEPTED),
        ([UNSIGNED, file(U.ALTERED, F, 1, 2, 3)], Evidence.NOT_SIGNED),
        ([UNSIGNED, file(U.UNREADABLE, C)], Evidence.ACCEPTED),
        ([UNSIGNED, file(U.MATCHED, C, 1, 2, 3)], Evidence.ACCEPTED),
        # A part in which the signature cannot be seen does not hide the page on which it is missing.
        ([UNSIGNED, file(U.MATCHED, C, 1, 2)], Evidence.NOT_SIGNED),
        ([file(U.MATCHED, C, 1, 2)], Evidence.INCOMPLETE),
        ([file(U.MATCHED, F, 3)], Evidence.INCOMPLETE),
        ([file(U.MATCHED, N, 1, 3)], Evidence.NOT_SIGNED_AND_INCOMPLETE),
        ([file(U.MATCHED, C, 1, 2), file(U.MATCHED, F, 3)], Evidence.ACCEPTED),
        ([file(U.MATCHED, C, 1, 2), file(U.MATCHED, N, 3)], Evidence.NOT_SIGNED),
        ([file(U.MATCHED, C, 1), file(U.MATCHED, F, 3)], Evidence.INCOMPLETE),
        # The only signed page beside the whole that nobody has signed.
        ([UNSIGNED, file(U.MATCHED, F, 3)], Evidence.ACCEPTED),
        # A page that could not be recognized may be the missing one.
        ([file(U.MATCHED, F, 1, 3, unclear=1)], Evidence.ACCEPTED),
        ([file(U.MATCHED, F, 3, unclear=1)], Evidence.INCOMPLETE),
    ],
)
def test_of_several_files_the_best_one_counts(files: list[JudgedUpload], paper: Evidence) -> None:
    assert best_evidence(files) is paper


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
        match_application(compared(text), ISSUED)
        return time.process_time() - started

    short = min(judge(100_000) for _ in range(3))
    long = min(judge(800_000) for _ in range(3))

    # Eight times the text: eight times as long, where a square would take 64 times.
    assert long < 24 * short + 0.05


def test_the_same_words_match() -> None:
    assert verdict_of(compared(ISSUED_TEXT)) is UploadFinding.MATCHED


def test_words_at_the_signature_belong_to_it_and_sign() -> None:
    signed = ISSUED_TEXT.replace("Signature.", "Signature. Ann Example, President, 11/16/2026")
    reading = compared(signed, block="Signature. Ann Example, President, 11/16/2026", box=Box.EMPTY)

    assert match_application(reading, ISSUED) == JudgedUpload(
        UploadFinding.MATCHED,
        "This is the application that was issued with the quote. It is signed.",
        F,
        PagesSeen((1,), 0, 1),
    )


@each_row(
    ("before", "after"),
    [
        ("Any claims? No.", "Any claims? Yes."),
        ("Any claims? No.", ""),
        ("offline? Yes. Any claims? No.", "offline? No. Any claims? Yes."),
        ("Any claims? No.", "Any claims? No. Yes, see attached."),
    ],
)
def test_a_change_under_the_right_mark_is_an_alteration(before: str, after: str) -> None:
    finding = match_application(compared(ISSUED_TEXT.replace(before, after), block="Signature."), ISSUED)

    assert (finding.verdict, finding.note) == (UploadFinding.ALTERED, ALTERED)


def test_what_is_struck_out_is_an_alteration() -> None:
    page = ReadPage(number=1, body=ISSUED_TEXT, marked_up=True)

    assert verdict_of(PaperReading(text=ISSUED_TEXT, pages=(page,), issued=(ISSUED_TEXT,))) is U.ALTERED


def test_recognized_text_of_a_scan_is_not_held_against_it() -> None:
    page = ReadPage(number=1, body=ISSUED_TEXT.replace("No.", "N0."), pictured=True)
    misread = PaperReading(text=page.body, pages=(page,), issued=(ISSUED_TEXT,), pictured=True)

    assert verdict_of(misread) is UploadFinding.MATCHED


def test_a_text_that_hardly_resembles_the_issued_one_counts_by_its_mark_alone() -> None:
    assert verdict_of(compared(f"Please find enclosed the application {MARK}")) is UploadFinding.MATCHED


@each_row(
    ("seen", "signature"),
    [
        ({"box": Box.EMPTY}, N),
        ({"box": Box.INK}, F),
        ({"box": Box.UNCLEAR}, C),
        ({}, C),
        ({"box": Box.EMPTY, "sealed": True}, F),
        ({"box": Box.EMPTY, "typed": ("date", "name")}, F),
        ({"box": Box.EMPTY, "typed": ("signature",)}, F),
        ({"box": Box.EMPTY, "typed": ("date", "title")}, N),
    ],
)
def test_a_signature_is_seen_in_the_box_the_form_or_the_seal(
    seen: dict[str, Any], signature: SignatureFinding
) -> None:
    assert match_application(compared(ISSUED_TEXT, **seen), ISSUED).signature is signature


@each_row(
    ("numbers", "pages", "said"),
    [
        ([1, 2, 3], PagesSeen((1, 2, 3), 0, 3), ""),
        ([3, 1, 2, 1], PagesSeen((1, 2, 3), 0, 3), ""),
        ([1, 2], PagesSeen((1, 2), 0, 3), " It has 2 of 3 pages: page 3 is missing. Upload it too."),
        ([3], PagesSeen((3,), 0, 3), " It has 1 of 3 pages: pages 1 and 2 are missing. Upload them too."),
        ([1, 0, 3], PagesSeen((1, 3), 1, 3), ""),
        ([1, 0], PagesSeen((1,), 1, 3), " It has 2 of 3 pages. Upload the others too."),
        ([1, 2, 3, 0, 0], PagesSeen((1, 2, 3), 0, 3), ""),
    ],
)
def test_the_pages_of_a_scan_are_counted(numbers: list[int], pages: PagesSeen, said: str) -> None:
    read = tuple(ReadPage(number=number, pictured=True) for number in numbers)
    reading = PaperReading(codes=(MARK,), pictured=True, pages=read, issued=("",) * 3, box=Box.INK)

    assert match_application(reading, ISSUED) == JudgedUpload(
        UploadFinding.MATCHED,
        "This is the application that was issued with the quote. The answers on a picture are not read. "
        f"It is signed.{said}",
        F,
        pages,
    )


def test_the_application_of_another_option_says_which() -> None:
    finding = match_application(compared(ISSUED_TEXT, box=Box.INK), ISSUED, option=2)

    assert finding.note == "It is the application of option 2; the answers are the same. It is signed."


def test_the_very_file_that_was_issued_is_not_signed() -> None:
    assert judge_unsigned(3) == JudgedUpload(
        UploadFinding.MATCHED,
        "This is our application as we issued it: nobody has signed it. Have it signed, and upload it again.",
        N,
        PagesSeen((1, 2, 3), 0, 3),
    )


def test_a_supporting_paper_is_not_compared() -> None:
    assert judge_paper(PaperReading(text=MARK)) == JudgedUpload(
        UploadFinding.NOT_COMPARED,
        "The file is kept. Only files for the signature contingency are compared with the application.",
    )
