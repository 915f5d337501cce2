"""What an unfinished request tells: which questions are asked, which are new, and what it may cost."""

import pytest

from bindery.domain.applicant.risk import OptionAsk
from bindery.domain.drafts.draft_applicant import DraftApplicant
from bindery.domain.drafts.fields import read_fields
from bindery.domain.drafts.news import brought_up, facts_seen, new_questions
from bindery.domain.screening.case import EMPTY_LIST, SanctionsList
from support.drafts import ANSWERS, COMPANY, TODAY, typed

MILLION = OptionAsk(1_000_000)


def applicant(**more: str | tuple[str, ...]) -> DraftApplicant:
    return read_fields(typed(**more), TODAY)[1]


def test_answers_that_no_longer_count_are_kept_and_not_sent() -> None:
    fields = typed(questions__Q2142="false")

    sent = {answer["id"] for answer in read_fields(fields, TODAY)[0]["questions"]}

    assert "questions.Q2311" in fields
    assert "Q2142" in sent
    assert sent.isdisjoint({"Q2311", "Q2313"})


def test_an_answer_to_a_question_that_is_gone_is_not_sent() -> None:
    fields = typed(questions__Q9999="true", questions__seen="6400000 0")

    assert not {"Q9999", "seen"} & {answer["id"] for answer in read_fields(fields, TODAY)[0]["questions"]}


def test_a_wrong_answer_is_sent_so_that_it_is_reported() -> None:
    sent = {
        answer["id"]: answer["value"]
        for answer in read_fields(typed(questions__Q2314="many"), TODAY)[0]["questions"]
    }

    assert sent["Q2314"] == "many"


def test_with_everything_answered_the_range_is_that_of_the_scan() -> None:
    (found,) = applicant().indications([MILLION])

    assert (found.low, found.high) == (2_176, 3_075)
    assert found.is_telling


def test_a_range_tells_nothing_before_enough_is_answered() -> None:
    nothing = {f"questions__{name}": "" for name in ANSWERS}

    (found,) = applicant(**nothing).indications([MILLION])

    assert (found.low, found.high) == (2_158, 10_672)
    assert not found.is_telling


@pytest.mark.parametrize(
    ("missing", "facts"),
    [
        ({"client__revenue": "lots"}, ("revenue",)),
        ({"client__address__zip": ""}, ("state",)),
        ({"client__industry": ""}, ("industry",)),
        ({"client__industry": "", "policy__insurance_product": "TEO"}, ()),
        ({"client__address__zip": "", "client__address__state": "Ohio"}, ()),
        ({"policy__insurance_product": "XYZ"}, ()),
    ],
)
def test_nothing_is_priced_before_the_company_is_known(
    missing: dict[str, str], facts: tuple[str, ...]
) -> None:
    found = applicant(**missing)

    assert found.missing_facts == facts
    assert bool(found.indications([MILLION])) is not bool(facts)


def test_reasons_for_an_underwriter_are_those_of_the_screening() -> None:
    small, large = OptionAsk(1_000_000), OptionAsk(5_000_000)

    fine, cannabis = applicant(), applicant(questions__Q2244="Cannabis")

    assert fine.reasons(EMPTY_LIST) == ()
    assert [
        [reason.code for reason in found] for found in fine.option_reasons([small, large], EMPTY_LIST)
    ] == [
        [],
        ["limit_above_authority"],
    ]
    assert [reason.code for reason in cannabis.reasons(EMPTY_LIST)] == ["prohibited_activity"]
    assert cannabis.option_reasons([small], EMPTY_LIST) == ((),)
    listed = SanctionsList.of([COMPANY["client.name"]])
    assert [reason.code for reason in fine.reasons(listed)] == ["sanctioned_party"]


def test_no_readable_domain_is_a_reason_too() -> None:
    found = applicant(client__domains="not a domain", questions__Q2134="true").reasons(EMPTY_LIST)

    assert [reason.code for reason in found] == ["missing_domain"]


def test_a_higher_revenue_marks_the_questions_that_it_brings() -> None:
    before = facts_seen(applicant(client__revenue="4,999,999"))
    now = applicant()

    found = new_questions(now, before)

    assert {"2307", "2302", "2304", "2315", "2311", "2313"} <= found.keys()
    assert not {"2134", "2146"} & found.keys()
    assert set(found.values()) == {"Asked at a revenue of $6,400,000"}


def test_a_retroactive_date_marks_the_question_that_it_brings() -> None:
    product = {"policy__insurance_product": "MPL"}
    now = applicant(
        **product, policy__dates__effective="2026-12-01", policy__dates__mpl_retroactive_date="2020-01-01"
    )

    found = new_questions(now, facts_seen(applicant(**product)))

    assert found == {
        "2414": "Asked because of the retroactive date",
        "2415": "Asked because of the retroactive date",
    }


@pytest.mark.parametrize("seen", ["", "6400000 0", "nonsense", "x 1"])
def test_nothing_is_new_to_who_has_seen_it_or_nothing_yet(seen: str) -> None:
    assert new_questions(applicant(), seen) == {}


def test_answers_bring_up_what_they_open_until_it_is_answered() -> None:
    before = applicant(questions__Q2142="", questions__Q2311="", questions__Q2313="")

    assert brought_up(before, applicant(questions__Q2311="", questions__Q2313="")) == ("Q2311", "Q2313")
    assert brought_up(before, applicant(questions__Q2311="")) == ("Q2311",)
    assert brought_up(before, applicant()) == ()
    assert brought_up(applicant(), applicant(questions__Q2311="")) == ()
