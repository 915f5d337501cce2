"""What a case shows first: the applicant in a line, what would change the price, what an approval does."""

import uuid
from dataclasses import replace
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.applicant.risk import Answers
from bindery.domain.quote.guidelines import Breach, Guideline
from bindery.domain.quote.quote import Quote
from bindery.domain.scan.scan import Finding, ScanOutcome, ScanResult, Severity
from bindery.storage.desk.desk_notes import Origin
from bindery.storage.submission.earlier import Likeness, SimilarCase
from bindery.storage.submission.submissions import StoredSubmission
from bindery.web.case.applicant_shown import shown_background, shown_facts
from bindery.web.case.decision_outcome import Outcome, approval_outcome
from bindery.web.case.levers_shown import shown_levers
from bindery.web.case.limits_shown import breaches_named
from bindery.web.case.prices import shown_prices
from bindery.web.case.reasons_shown import shown_answers
from bindery.web.shown.words import Times
from support.applicants import SUBMISSION, assessed

TODAY = date(2026, 11, 18)
NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
OPEN_PORT = Finding("rdp", "Remote Desktop", Severity.CRITICAL, 30, red_flag=True, host="a", evidence="")
SCANNED = ScanResult(ScanOutcome.FINISHED, ("a",), NOW, "test", score=70, findings=(OPEN_PORT,))


def stored(scan: ScanResult | None = None, **changed: object) -> StoredSubmission:
    return StoredSubmission(
        submission_id=uuid.UUID(int=2),
        company_id=123456789,
        partner_id=1,
        broker_id=1,
        created_at=NOW,
        submission=replace(SUBMISSION, **changed),  # type: ignore[arg-type] # any of its fields
        scan=scan,
        starts=1,
        renews=None,
        body="{}",
    )


def options(*premiums: int | None) -> list[Quote]:
    return [
        replace(assessed(), quote_id=uuid.UUID(int=number), option_number=number, premium=premium)
        for number, premium in enumerate(premiums)
    ]


def approved(*premiums: int | None, text: str = "", when: str = "post_bind", renews: bool = False) -> Outcome:
    return approval_outcome(options(*premiums), text, when, is_renewal=renews, today=TODAY)


def test_the_outcome_of_an_approval_names_its_options_and_premiums() -> None:
    until = "open until Jan 17, 2027."

    assert approved(2_665) == Outcome("Publishes option 1", f"at $2,665, {until}")
    assert approved(2_665, 3_646) == Outcome("Publishes options 1 and 2", f"at $2,665 and $3,646, {until}")
    assert approved(9_000, 9_000).more == f"at $9,000 each, {until}"
    assert approved(5, 4, 3, 2) == Outcome("Publishes 4 options", f"at $2 to $5, {until}")
    assert approved(5, text="Proof", when="pre_bind").more.endswith("needed before the bind.")
    assert approved(5, text="Proof").more.endswith("Subject to what you typed, needed after the bind.")
    assert approved(5, text=" ").more == f"at $5, {until}"
    assert approved(5, renews=True) == Outcome("Offers the renewal", "at $5, until the expiring policy ends.")


def test_what_cannot_be_approved_says_why() -> None:
    assert approved() == Outcome("Tick an option to decide about it.", is_possible=False)
    assert approved(5, None) == Outcome("Option 2 has no price.", "Type a premium.", is_possible=False)
    assert approved(None, None).does == "Options 1 and 2 have no price."


def test_many_options_beyond_the_guidelines_are_counted_and_few_are_named() -> None:
    low = Breach(Guideline.MINIMUM_PREMIUM, "$1 is below the minimum premium of $700")
    far = [
        Breach(Guideline.DEVIATION, f"$1 is {share} % below the tariff, more than 25 %") for share in (90, 91)
    ]
    first, second, third, fourth, fifth = options(1, 1, 1, 1, 1)

    assert breaches_named([(first, [low])], picked=1) == (low.text,)
    assert breaches_named([(first, [low]), (third, [low, far[0]])], picked=3) == (
        f"Option 1: {low.text}",
        f"Option 3: {low.text}",
        f"Option 3: {far[0].text}",
    )
    many = [(first, [low, far[0]]), (second, [low, far[1]]), (third, [low]), (fourth, []), (fifth, [])]
    assert breaches_named(many, picked=5) == (
        f"3 options: {low.text}",
        f"2 options, such as option 1: {far[0].text}",
    )
    assert breaches_named([(fourth, [low])], picked=4) == (f"Option 4: {low.text}",)


def test_the_applicant_is_one_line_of_at_most_six_facts() -> None:
    firm = stored(SCANNED, answers=Answers({"2314": 35}))

    assert shown_facts(firm) == (
        ("Revenue", "$1,200,000"),
        ("State", "CA"),
        ("Industry", "311811 Retail Bakeries"),
        ("Employees", "35"),
        ("Scan", "70 of 100"),
        ("Domains", "a.example.com"),
    )
    bare = stored(industry=None, domains=("a.example.com", "b.example.com", "c.example.com"))
    assert shown_facts(bare)[2:] == (("Industry", "—"), ("Domains", "a.example.com and 2 more"))
    counted = stored(SCANNED, answers=Answers({"2314": 35, "2404": 6, "2403": 9}), domains=())
    assert len(shown_facts(counted)) == 6


@pytest.mark.parametrize(
    ("earlier", "said"),
    [(0, "not submitted before"), (1, "submitted once before: expired"), (20, "submitted 20 times or more")],
)
def test_a_company_of_another_products_past_is_not_said_to_be_new(earlier: int, said: str) -> None:
    origin = Origin("P", None, None, None, earlier, {QuoteStatus.QUOTE_EXPIRED: 1} if earlier else {})

    *_, last = shown_background(stored(), origin, {}, None, Times(ZoneInfo("America/New_York"), NOW))

    assert last.text.startswith(said)


def near(**changed: object) -> SimilarCase:
    case = SimilarCase(
        submission_id=uuid.UUID(int=9),
        name="Paper Anchor Bakery LLC",
        revenue=1_200_000,
        submitted_at=NOW,
        aggregate_limit=1_000_000,
        retention=2_500,
        premium=1_362,
        status=QuoteStatus.PUBLISHED,
        decided_by=None,
        likeness=Likeness.NEAR,
    )
    return replace(case, **changed)  # type: ignore[arg-type] # any of its fields


def test_what_would_change_the_price_is_said_with_the_difference() -> None:
    option = assessed()
    other_terms, cheaper = near(name="Elsewhere", retention=5_000), near(premium=1_300)

    fixes, retentions, nearest = shown_levers(
        stored(SCANNED), option, 1_400, [other_terms, cheaper], today=TODAY
    )

    (fixed,) = fixes.levers
    assert fixed.what == "Remote Desktop: closed, score 100"
    assert fixed.is_less
    assert [lever.what for lever in retentions.levers] == ["$5,000", "$10,000", "$15,000"]
    (anchor,) = nearest.levers
    assert (anchor.what, anchor.by, anchor.premium) == (
        "Paper Anchor Bakery LLC, open",
        "\N{MINUS SIGN}$100",
        "$1,300",
    )
    assert anchor.address == f"/desk/case/{uuid.UUID(int=9)}"
    (_, (same,)) = (group.levers for group in shown_levers(stored(), option, 1_300, [cheaper], today=TODAY))
    assert same.by == "the same"
    (_, (dearer,)) = (group.levers for group in shown_levers(stored(), option, 1_200, [cheaper], today=TODAY))
    assert (dearer.by, dearer.is_less) == ("+$100", False)


def test_without_a_rated_premium_nothing_is_compared() -> None:
    assert shown_levers(stored(), assessed(), None, [near()], today=TODAY) == ()
    assert shown_levers(stored(), replace(assessed(), terms=None), 1_300, [], today=TODAY) == ()


def test_options_have_total_and_rate_and_one_press_ticks_them_all() -> None:
    quotes = options(2_665, None)

    prices = shown_prices(quotes, term=SUBMISSION.term, number=1, picked=frozenset({"all"}), problems=())
    alone = shown_prices(quotes, term=SUBMISSION.term, number=2, picked=frozenset(), problems=())

    first, second = prices.options
    assert (first.limit, first.retention, first.rate) == ("$1,000,000", "$2,500", "$2,665")
    assert first.total.startswith("$2,7")
    assert (second.premium, second.taxes, second.total, second.rate) == ("—",) * 4
    assert prices.counted == "2 options"
    assert prices.sentence == "Dec 1, 2026 to Dec 1, 2027 · not quoted to the broker yet"
    assert [option.number for option in alone.picked] == [2]
    bound = replace(quotes[0], status=QuoteStatus.POLICY_ACTIVE)
    seen = shown_prices([bound], term=SUBMISSION.term, number=1, picked=frozenset(), problems=())
    assert seen.sentence == "Dec 1, 2026 to Dec 1, 2027"


def test_what_an_applicant_wrote_about_an_answer_is_found_with_it() -> None:
    happened = "Ransomware encrypted two file servers."
    cyber = stored(answers=Answers({"2146": True, "2124": happened, "2308": "An MSP"}))
    claims = stored(
        product=InsuranceProduct.MPL, answers=Answers({"2416": "1", "2417": "A late filing", "2418": 20_000})
    )

    (told,) = shown_answers(cyber, assessed()).explained["answer-2146"]
    about_claims = shown_answers(claims, assessed()).explained["answer-2416"]

    assert (told.number, told.answer) == ("Q2124", happened)
    assert [line.number for line in about_claims] == ["Q2417", "Q2418"]
