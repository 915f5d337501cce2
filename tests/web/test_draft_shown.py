"""What the steps Questions and Options of a draft show, without a service."""

from collections.abc import Iterable
from datetime import date
from random import Random

import pytest

from bindery.contract.questions import QuestionType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.drafts.draft_applicant import DraftApplicant
from bindery.domain.drafts.fields import SEEN, Fields, questions_of, read_fields
from bindery.domain.drafts.option_grid import Cells, lay_out_options, read_options
from bindery.domain.questions.conditions import All, Always, AnswerIs
from bindery.domain.questions.question import QuestionSet, QuestionText
from bindery.domain.screening.case import EMPTY_LIST
from bindery.web.draft.options_shown import ShownOptions, shown_options
from bindery.web.draft.price_shown import (
    NOT_ENOUGH,
    ShownPriceRange,
    shown_price,
    shown_price_of_options,
)
from bindery.web.draft.questions_shown import (
    ANYWHERE,
    AskedAs,
    Progress,
    ShownChoice,
    ShownQuestion,
    ShownQuestions,
    shown_progress,
    shown_questions,
)
from support.answering import all_made_up
from support.drafts import ANSWERS, TODAY, typed


def of(fields: Fields) -> DraftApplicant:
    return read_fields(fields, TODAY)[1]


def page(fields: Fields, *, of_new_edition: frozenset[str] = frozenset()) -> ShownQuestions:
    return shown_questions(of(fields), fields, of_new_edition=of_new_edition)


def found(shown: ShownQuestions, name: str) -> ShownQuestion:
    return next(q for section in shown.sections for top in section.asked for q in top if q.id == name)


def seen(shown: ShownQuestions) -> set[str]:
    """Return what the stylesheet shows of a page: what a chosen answer opens, and what that opens."""
    everything = [q for section in shown.sections for top in section.asked for q in top]
    anywhere = any(
        ANYWHERE in choice.opens.split()
        for q in everything
        for choice in (*q.choices, *q.more)
        if choice.is_chosen
    )

    def below(question: ShownQuestion) -> Iterable[str]:
        yield question.id
        chosen = [choice for choice in (*question.choices, *question.more) if choice.is_chosen]
        keys = {key for choice in chosen for key in choice.opens.split()}
        if question.value and not question.choices:
            keys |= set(question.opens.split())
        for group in question.follow_ups:
            if group.key in keys or not group.key or (group.key == ANYWHERE and anywhere):
                for follow_up in group.asked:
                    yield from below(follow_up)

    return {name for section in shown.sections for question in section.asked for name in below(question)}


@pytest.mark.parametrize("revenue", ["900,000", "30,000,000"])
@pytest.mark.parametrize("product", ["CYB", "TEO", "MPL"])
def test_a_page_shows_what_is_missing_or_answered_for_any_answers(product: str, revenue: str) -> None:
    facts = {
        "policy__insurance_product": product,
        "client__revenue": revenue,
        "policy__dates__effective": "2026-12-01",
        "policy__dates__mpl_retroactive_date": "full_prior_acts",
    }
    company = {name: value for name, value in typed(**facts).items() if not name.startswith("questions.")}
    questions = questions_of(company, TODAY)
    chance = Random(f"{product} {revenue}")
    for _ in range(25):
        answers = {
            f"questions.{name}": tuple(map(str, value))
            if isinstance(value, list)
            else (str(value).lower(),)
            if isinstance(value, bool)
            else (str(value),)
            for name, value in all_made_up(questions, chance).items()
            if chance.random() < 0.8
        }
        fields = {**company, **answers}
        applicant = of(fields)

        shown = seen(page(fields))

        assert shown == {question.id for question in questions if question.bare_id in applicant.required}


def test_each_type_of_question_has_its_control() -> None:
    shown = page(typed())
    technology = page(typed(policy__insurance_product="TEO"))
    professional = page(
        typed(
            policy__insurance_product="MPL",
            policy__dates__effective="2026-12-01",
            policy__dates__mpl_retroactive_date="full_prior_acts",
        )
    )

    assert found(shown, "Q2134").asked_as is AskedAs.BESIDE
    assert found(shown, "Q2307").asked_as is AskedAs.BESIDE
    assert found(shown, "Q2309").asked_as is AskedAs.ONE
    assert found(shown, "Q2244").asked_as is AskedAs.MANY
    assert found(shown, "Q2314").asked_as is AskedAs.NUMBER
    assert found(shown, "Q2310").asked_as is AskedAs.TEXT
    assert found(technology, "2207").asked_as is AskedAs.MONEY
    assert found(professional, "Q2418").asked_as is AskedAs.MONEY
    assert found(professional, "Q2414").asked_as is AskedAs.DATE
    assert found(professional, "Q2414").opens == "a"


def test_a_long_list_shows_what_is_chosen_first_and_folds_the_rest() -> None:
    edr = found(page(typed()), "Q2304")

    assert [choice.text for choice in edr.choices[:2]] == ["Huntress Managed EDR", "No EDR in Place"]
    assert len(edr.choices) == 6
    assert len(edr.more) == 13
    assert edr.choices[0].is_chosen
    assert edr.choices[1].is_alone
    assert not found(page(typed()), "Q2244").more


def test_an_answer_that_is_no_option_any_more_stays_chosen() -> None:
    shown = found(page(typed(questions__Q2302=("Mimecast", "Old Filter 3"))), "Q2302")

    assert ShownChoice("Old Filter 3", "Old Filter 3 (not offered any more)", is_chosen=True) in shown.choices
    wrong = found(page(typed(questions__Q2134="perhaps")), "Q2134")
    assert [choice.text for choice in wrong.choices] == ["Yes", "No", "perhaps (not offered any more)"]


def test_progress_counts_what_is_asked_and_answered_rightly() -> None:
    shown = page(typed(questions__Q2310="", questions__Q2146="", questions__Q2314="many"))

    assert shown.progress == Progress(14, 17)
    assert shown.progress.text == "14 of 17"
    assert shown.progress.percent == 82
    assert [section.progress.text for section in shown.sections] == [
        "2 of 3",
        "4 of 4",
        "4 of 4",
        "3 of 4",
        "1 of 2",
    ]
    assert page(typed()).progress.is_done
    sections, progress = shown_progress(of(typed(questions__Q2310="")))
    assert progress == Progress(16, 17)
    assert [section.progress.is_done for section in sections] == [True, True, True, False, True]
    assert Progress(0, 0).percent == 100


def test_questions_that_other_facts_brought_are_marked_until_they_are_answered() -> None:
    before = typed(questions__Q2307="", questions__seen="900000 0")

    shown = page(before)

    assert found(shown, "Q2307").news == "Asked at a revenue of $6,400,000."
    assert found(shown, "Q2134").news == ""
    assert (shown.news, shown.seen) == (1, "900000 0")
    done = page(typed(questions__seen="900000 0"))
    assert (done.news, done.seen) == (0, "6400000 0")
    assert shown.names[-1] == SEEN
    assert len(set(shown.names)) == len(shown.names) == 26


def test_questions_of_a_new_edition_are_marked() -> None:
    shown = page(typed(questions__Q2146=""), of_new_edition=frozenset({"Q2146"}))

    assert found(shown, "Q2146").news == "New since this draft was begun."
    assert shown.news == 1


def test_what_no_letter_opens_is_shown_once_the_saved_answers_ask_for_it() -> None:
    def asked(number: int, when: Always | All | AnswerIs) -> QuestionText:
        return QuestionText(
            id=str(number), section="A", type=QuestionType.BOOLEAN, text="?", required_when=when
        )

    yes, other = AnswerIs("1001", value=True), AnswerIs("1002", value=True)
    made_up = QuestionSet(
        "x",
        InsuranceProduct.CYB,
        (asked(1001, Always()), asked(1002, Always()), asked(1003, All((yes, other)))),
    )
    applicant = of(typed())

    def names(required: frozenset[str]) -> set[str]:
        case = DraftApplicant(
            parts=applicant.parts,
            questions=made_up,
            circumstances=applicant.circumstances,
            answers=applicant.answers,
            required=required,
            state="PA",
            tariff=applicant.tariff,
        )
        shown = shown_questions(case, {}, of_new_edition=frozenset())
        assert set(shown.names) == {f"questions.{name}" for name in (*seen(shown), "seen")}
        return seen(shown)

    assert names(frozenset({"1001", "1002"})) == {"1001", "1002"}
    assert names(frozenset({"1001", "1002", "1003"})) == {"1001", "1002", "1003"}


def options(*texts: str, **more: str) -> tuple[ShownOptions, ShownPriceRange]:
    applicant = of(typed(**more))
    grid = lay_out_options(applicant, read_options(texts), EMPTY_LIST, cells=Cells.USUAL)
    shown = shown_options(applicant, grid, applicant.reasons(EMPTY_LIST))
    return shown, shown_price_of_options(applicant, grid.ticked)


ONE, TWO = (
    '{"aggregate_limit":1000000,"aggregate_retention":5000}',
    '{"aggregate_limit":2000000,"aggregate_retention":10000}',
)
FIVE = '{"aggregate_limit":5000000,"aggregate_retention":25000}'


def test_the_grid_says_prices_and_what_an_underwriter_decides() -> None:
    shown, price = options(ONE, TWO, FIVE)

    assert shown.columns == ("$2,500", "$5,000 · usual", "$10,000", "$15,000", "$25,000")
    assert [(row.limit, row.is_referred) for row in shown.rows] == [
        ("$1,000,000", False),
        ("$2,000,000", False),
        ("$3,000,000", False),
        ("$5,000,000", True),
    ]
    cell = shown.rows[0].cells[1]
    assert (cell.low, cell.high, cell.is_ticked) == ("$2,176", "$3,075", True)
    assert [option.is_referred for option in shown.ticked] == [False, False, True]
    assert shown.referred == (
        "Option 3 goes to an underwriter; the others do not wait. "
        "The aggregate limit of $5,000,000 is above the $3,000,000 that is quoted automatically."
    )
    assert (price.figure, price.says) == ("$2,176 to $5,957", "premium over the 3 options you chose")
    assert shown.facts[0] == ("Lowest retention", "for a revenue of $6,400,000: $2,500")


def test_a_single_cell_is_marked_where_not_the_whole_row_is_referred() -> None:
    shown, _ = options('{"aggregate_limit":100000,"aggregate_retention":50000}')

    assert [cell.is_referred for cell in shown.rows[0].cells] == [False, False, False, False, False, True]
    assert shown.referred.startswith("Option 1 goes to an underwriter. The requested retention is above 25%")


def test_reasons_for_every_option_are_said_once() -> None:
    shown, _ = options(ONE, FIVE, questions__Q2244="Cannabis")

    assert shown.referred.startswith("An underwriter decides every option. ")
    assert [option.is_referred for option in shown.ticked] == [True, True]


def test_several_referred_options_are_named_together() -> None:
    shown, _ = options(ONE, FIVE, FIVE.replace("5000000", "4000000"))

    assert shown.referred.startswith("Options 2 and 3 go to an underwriter; the others do not wait.")


def test_options_beside_the_grid_are_told_in_words() -> None:
    shown, _ = options(
        '{"aggregate_limit":1000000,"per_claim_limit":500000}',
        '{"aggregate_limit":1000000,"per_claim_limit":2000000}',
        '{"aggregate_limit":1234567}',
        "nonsense",
    )

    assert [(other.text, other.wrong) for other in shown.others] == [
        ("$1,000,000 aggregate, $500,000 per claim, the usual retention", ""),
        (
            "$1,000,000 aggregate, $2,000,000 per claim",
            "The per-claim limit is above the aggregate limit: untick it.",
        ),
        ("$1,234,567 aggregate", "It is not offered, or not any more: untick it."),
        ("nonsense", "It is not offered, or not any more: untick it."),
    ]
    assert shown.says_why
    capped, _ = options(
        '{"aggregate_limit":1000000,"aggregate_retention":25000,"per_claim_retention":5000}',
        policy__insurance_product="MPL",
    )
    assert [other.text for other in capped.others] == [
        "$1,000,000 aggregate, $5,000 retention, at most $25,000 a year"
    ]
    assert not capped.says_why
    assert capped.caps


def test_the_sixteenth_option_gets_a_sentence() -> None:
    retentions = (2_500, 5_000, 10_000, 15_000, 25_000, 50_000, 75_000, 100_000)
    many = [
        f'{{"aggregate_limit":{limit},"aggregate_retention":{retention}}}'
        for limit in (1_000_000, 2_000_000)
        for retention in retentions
    ]

    assert options(*many[:15])[0].too_many == ""
    assert options(*many)[0].too_many == (
        "16 options are ticked, and one request takes at most 15. Untick 1; all of them are kept until then."
    )


def test_the_price_range_waits_for_the_company_and_for_enough_answers() -> None:
    nothing = {f"questions__{name}": "" for name in ANSWERS}

    assert shown_price(of(typed(**nothing))) == ShownPriceRange("", NOT_ENOUGH)
    assert shown_price(of(typed(client__revenue="", client__industry=""))).says == (
        "A price range needs the revenue and industry of the company."
    )
    assert options(ONE, **nothing)[1] == ShownPriceRange("", NOT_ENOUGH)


def test_the_price_range_says_what_it_is_for_and_assumes() -> None:
    assert shown_price(of(typed())) == ShownPriceRange(
        "$2,176 to $3,075",
        "premium for $1,000,000, $5,000 retention",
        ("All 17 answers as given", "From the best scan to the worst"),
    )
    assert shown_price(of(typed(questions__Q2146=""))).assumes[0] == "The answers so far as given"
    assert options()[1].says == "premium for $1,000,000, $5,000 retention"
    assert options(ONE)[1].says == "premium of the option you chose"


def test_a_price_that_nothing_can_change_is_one_figure() -> None:
    questions = questions_of(typed(policy__insurance_product="MPL"), date(2026, 11, 18))
    answers = {
        f"questions__{name}": tuple(value)
        if isinstance(value, list)
        else str(value).lower()
        if isinstance(value, bool)
        else str(value)
        for name, value in all_made_up(questions, Random(3)).items()
    }

    price = shown_price(of(typed(policy__insurance_product="MPL", **answers)))

    assert " to " not in price.figure
    assert price.figure.startswith("$")
