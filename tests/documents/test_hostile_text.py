from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import ContingencyType, InsuranceProduct
from bindery.documents import render
from bindery.documents.plain_text import Whole, drawable, printable
from bindery.domain.documents.facts import AnsweredQuestion
from bindery.domain.policy.contingencies import Contingency, ContingencyKind
from documents.cases import facts_of
from documents.later_cases import completed
from documents.reading import (
    binding_for,
    body_of,
    overlapping_texts,
    pages_of,
    squeezed,
    text_by_pypdf,
    text_of,
    texts_outside,
)

D = DocumentType
P = InsuranceProduct
MARKUP: Final = (
    r'#import "a.typ" #eval("1") *bold* _it_ $x^2$ `raw` @ref <label> \ // note /* c */ = H -- "q" [z] {y} ~ '
    "…"
)
LONG_NAME: Final = "Zażółć " + "W" * 380 + " Ω мир"
ALL: Final = list(D)
LISTING: Final = {
    *(D.QUOTE_LETTER, D.APPLICATION, D.BINDER, D.SECURITY_REPORT, D.LAPSE_NOTICE, D.COMPARISON, D.CERTIFICATE)
}
"""Papers with the longest lists, each laid out in its own way; `make test-long` prints all of them."""
HEBREW: Final = [chr(code) for code in range(0x5D0, 0x5EB)]
HEBREW_POINTS: Final = [chr(code) for code in range(0x5B0, 0x5C4)]
ARABIC_SIGNS: Final = frozenset(map(chr, (*range(0x64B, 0x660), 0x670)))
SIGNS: Final = [chr(code) for code in (*range(0x300, 0x370), *range(0x483, 0x48A), *range(0x5B0, 0x5C4))] + [
    *sorted(ARABIC_SIGNS)
]
LETTERS: Final = "aé1-(αжԱאשب\u0679ა中あ한😀☎€→ﬁ "
VOWELED: Final = "\u0645\u064f\u062d\u064e\u0645\u064e\u0651\u062f"
SHAPED: Final = "\ufee3\ufea4\ufee4\ufeaa \ufdf4 \ufefb"
"""A name in shapes of letters, in one shape for the whole of it, and two letters in one."""
RECITED: Final = "\u0645\u06d6\u062d\u06e1\u0645\u08f0\u062f\u0610"
URDU: Final = "\u0688\u06be\u0627\u06a9\u06c1 \u06af\u0627\u0691\u06cc \u0679\u06cc\u06a9 \u06c1\u06d2"


def with_markup(body: dict[str, Any]) -> None:
    body["client"]["name"] = MARKUP
    body["client"]["dba"] = MARKUP
    body["client"]["address"]["street"] = MARKUP
    body["client"]["insured_main_contact"] |= {"first_name": MARKUP, "last_name": "#panic()"}


def with_great_length(body: dict[str, Any]) -> None:
    client = body["client"]
    client["name"] = LONG_NAME
    client["dba"] = "D" * 400
    client["address"] |= {"street": "S" * 255, "street2": "T" * 255, "city": "C" * 50}
    client["domains"] = [f"{'sub' * 20}{number}.{'x' * 60}.example.com" for number in range(75)]
    client["insured_main_contact"] = {
        "email": f"{'e' * 64}@{'d' * 60}.example.com",
        "first_name": "F" * 255,
        "last_name": "L" * 255,
        "cell_phone": "9" * 255,
    }
    client["additional_contacts"] = [
        {"email": f"watch{number}@example.com", "contact_roles": ["security_alerts"]} for number in range(20)
    ]
    body["questions"] = [question for question in body["questions"] if question["id"] != "Q2146"]
    body["questions"] += [
        {"id": "Q2146", "value": True},
        {"id": "Q2124", "value": ("one word after another " * 20 + "X" * 300 + "\n\n") * 5},
    ]


def fifteen_contingencies() -> tuple[Contingency, ...]:
    return tuple(
        Contingency(
            contingency_id=str(number),
            kind=ContingencyKind.UNDERWRITER,
            type=tuple(ContingencyType)[number % 2],
            text=f"Evidence number {number} of what was asked for. " * 10 + "Y" * 200,
        )
        for number in range(15)
    )


@pytest.mark.parametrize("kind", ALL)
def test_markup_in_texts_of_others_is_printed_as_it_is(kind: D) -> None:
    facts = completed(kind, facts_of(P.CYB, with_markup, binding=binding_for(kind, P.CYB)))

    text = squeezed(text_of(render(kind, facts)))

    if kind is not D.POLICY_SPECIMEN:
        assert squeezed(MARKUP) in text


@pytest.mark.parametrize(
    "kind", [kind if kind in LISTING else pytest.param(kind, marks=pytest.mark.long) for kind in ALL]
)
def test_nothing_is_cut_off_however_long_it_is(kind: D) -> None:
    facts = facts_of(
        P.CYB, with_great_length, binding=binding_for(kind, P.CYB), contingencies=fifteen_contingencies()
    )

    pdf = render(kind, completed(kind, facts))

    text = body_of(pdf)
    assert texts_outside(pdf, margin=20) == []
    assert pages_of(pdf) < 30
    assert kind is D.POLICY_SPECIMEN or overlapping_texts(pdf) == []
    if kind is not D.POLICY_SPECIMEN:
        assert squeezed(LONG_NAME) in text
    if kind is D.APPLICATION:
        assert "X" * 300 in text
        assert all(squeezed(domain) in text for domain in facts.insured.domains)
    if kind in {D.QUOTE_LETTER, D.BINDER, D.LAPSE_NOTICE, D.COMPARISON}:
        assert all(squeezed(contingency.text) in text for contingency in facts.contingencies)


def test_lines_of_an_answer_stay_lines() -> None:
    def answer_in_lines(body: dict[str, Any]) -> None:
        body["questions"] = [question for question in body["questions"] if question["id"] != "Q2147"]
        body["questions"] += [
            {"id": "Q2147", "value": True},
            {"id": "Q2119", "value": "first line\r\nsecond line\n\nthird line"},
        ]

    text = text_of(render(D.APPLICATION, facts_of(P.CYB, answer_in_lines)))

    assert "first line second line third line" in text


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("Zażółć Ωмир אבג", "Zażółć Ωмир אבג"),
        ("中文 株式会社 한국 Ltd", "中文 株式会社 한국 Ltd"),
        ("ⵣ", "[U+2D63]"),
        ("smile 😀 🚀 ☎ ★", "smile 😀 🚀 ☎ ★"),
        ("👩\u200d🚀 ❤\ufe0f 👍🏽 🇺🇸", "👩🚀 ❤ 👍🏽 🇺🇸"),
        (
            "\u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd \u05d2\u05f3\u05d5\u05e8\u05d2\u05f3",
            "\u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd \u05d2\u05f3\u05d5\u05e8\u05d2\u05f3",
        ),
        (
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 x\u200cy",
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 xy",
        ),
        (VOWELED, VOWELED),
        (URDU, URDU),
        ("a\u064f\u0301 \u0628\u0301 \u05d0\u064f", "a[U+064F][U+0301] \u0628[U+0301] \u05d0[U+064F]"),
        ("\u0436\u0486", "\u0436[U+0486]"),
        ("\u061c\u0600\u06dd\ufe8d", "[U+061C][U+0600][U+06DD]\u0627"),
        (SHAPED, "\u0645\u062d\u0645\u062f \u0645\u062d\u0645\u062f \u0644\u0627"),
        ("\ufe91\ufe76 \ufdf2 \ufd3e\ufbb2", "\u0628\u064e \ufdf2 [U+FD3E][U+FBB2]"),
        ("\u0628\u06e1\u0652\u0610 a\u06e1", "\u0628\u0652 a[U+06E1]"),
        ("turned \u202eback", "turned [U+202E]back"),
        ("bell\x07", "bell[U+0007]"),
        ("tab\tand\u00a0space", "tab and space"),
        ("one\r\ntwo\u2028three", "one\ntwo\nthree"),
    ],
)
def test_what_no_font_draws_is_written_as_its_number(text: str, printed: str) -> None:
    assert drawable(text) == printed


@pytest.mark.parametrize("kind", [D.QUOTE_LETTER, D.APPLICATION, D.SECURITY_REPORT])
def test_emoji_in_a_name_are_drawn_and_can_be_searched_for(kind: D) -> None:
    def with_emoji(body: dict[str, Any]) -> None:
        body["client"]["name"] = "北京 Trading 😀 👩\u200d🚀 👍🏽 🇺🇸 ☎ Inc."

    pdf = render(kind, facts_of(P.CYB, with_emoji))

    assert "北京 Trading 😀 👩🚀 👍🏽 🇺🇸 ☎ Inc." in text_of(pdf)
    assert squeezed("北京 Trading 😀 👩🚀 👍🏽 🇺🇸 ☎ Inc.") in squeezed(text_by_pypdf(pdf))


@pytest.mark.parametrize("kind", [D.QUOTE_LETTER, D.APPLICATION, D.CERTIFICATE])
def test_names_in_urdu_can_be_searched_for_word_by_word(kind: D) -> None:
    def in_urdu(body: dict[str, Any]) -> None:
        body["client"]["name"] = f"{VOWELED} {URDU} Ltd"

    pdf = render(kind, facts_of(P.CYB, in_urdu, binding=binding_for(kind, P.CYB)))

    for text in (text_of(pdf), text_by_pypdf(pdf)):
        assert all(word in text for word in URDU.split())
        # A vowel sign is a glyph of its own, and readers repeat its letter with it.
        assert set(VOWELED) <= set(text)


@pytest.mark.parametrize("kind", [D.QUOTE_LETTER, D.APPLICATION, D.CERTIFICATE])
def test_names_in_shapes_of_letters_or_with_signs_for_reciting_are_read_as_letters(kind: D) -> None:
    def in_shapes(body: dict[str, Any]) -> None:
        body["client"]["name"] = f"{SHAPED} Ltd"
        body["client"]["dba"] = f"{RECITED} Trading"

    pdf = render(kind, facts_of(P.CYB, in_shapes, binding=binding_for(kind, P.CYB)))

    for text in (text_of(pdf), text_by_pypdf(pdf)):
        assert text.count("\u0645\u062d\u0645\u062f") >= 3
        # They are drawn as one, and readers differ in which of them they read first.
        assert "\u0644\u0627" in text or "\u0627\u0644" in text
        assert "[U+" not in text


def test_long_words_may_break_and_whole_ones_may_not() -> None:
    assert printable({"name": "a" * 24, "rows": [("b" * 25,)]}) == {
        "name": "a" * 24,
        "rows": [["\u200b".join(["bbbbbbbb"] * 3 + ["b"])]],
    }
    assert printable(Whole("c" * 40)) == "c" * 40


@pytest.mark.parametrize(
    "every", [pytest.param(16, id="a sample"), pytest.param(1, id="all", marks=pytest.mark.long)]
)
def test_the_fonts_draw_every_character_that_is_let_through(every: int) -> None:
    # An archival file with a missing glyph is refused, so that a typst with other fonts fails here.
    characters = [chr(code) for code in range(0x20, 0x20000) if drawable(chr(code)) == chr(code)]
    pointed = [f"{letter}{point}" for letter in HEBREW for point in HEBREW_POINTS]
    pointed += [f"{letter}{sign}" for letter in "\u0628\u0679" for sign in characters if sign in ARABIC_SIGNS]
    text = " ".join([*characters[::every], *pointed[::every]])
    question = AnsweredQuestion(id="Q1", text="Anything else?", answer=text)

    pdf = render(D.APPLICATION, replace(facts_of(P.CYB), questions=(question,)))

    assert len(characters) > 16_700
    assert set("Ażółć€—Ωж") <= set(characters)
    assert pdf.startswith(b"%PDF-")


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(
    letters=st.lists(
        st.tuples(st.sampled_from(LETTERS), st.text(SIGNS, max_size=3)), min_size=30, max_size=90
    )
)
def test_signs_after_letters_of_another_script_spoil_no_paper(letters: list[tuple[str, str]]) -> None:
    def renamed(body: dict[str, Any]) -> None:
        body["client"]["name"] = "".join(letter + signs for letter, signs in letters)

    facts = facts_of(P.MPL, renamed, binding=binding_for(D.BILLING_STATEMENT, P.MPL))

    assert render(D.BILLING_STATEMENT, facts).startswith(b"%PDF-")


@settings(max_examples=25, deadline=None)
@given(name=st.text(min_size=1, max_size=60).filter(lambda text: text.strip()))
def test_any_name_at_all_can_be_printed(name: str) -> None:
    def renamed(body: dict[str, Any]) -> None:
        body["client"]["name"] = name

    facts = facts_of(P.MPL, renamed, binding=binding_for(D.BILLING_STATEMENT, P.MPL))

    assert render(D.BILLING_STATEMENT, facts).startswith(b"%PDF-")
