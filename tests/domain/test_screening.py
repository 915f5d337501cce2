import inspect
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from types import MappingProxyType, ModuleType
from typing import Any

import pytest

from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.applicant.industries import Action, find_industry
from bindery.domain.applicant.risk import (
    FULL_PRIOR_ACTS,
    Answers,
    AnswerValue,
    OptionAsk,
    Risk,
    Term,
    Terms,
    bare_id,
)
from bindery.domain.coverages.edition import COVERAGES, coverages_for
from bindery.domain.products import record_of
from bindery.domain.questions.question import question_set
from bindery.domain.quote.lifecycle import PASSING
from bindery.domain.scan.scan import Finding, ScanOutcome, ScanResult, Severity
from bindery.domain.screening import activities, authority, controls, outside_view
from bindery.domain.screening.authority import authority_reasons
from bindery.domain.screening.case import (
    Applicant,
    Case,
    Reason,
    Recommendation,
    SanctionsList,
    comparable_name,
    is_embargoed_domain,
)
from bindery.domain.screening.outside_view import notes_for
from bindery.domain.screening.rules import (
    PIPELINE_ORDER,
    all_reason_codes,
    answer_reasons,
    rule_catalogue,
    screen,
    screen_before_scan,
)
from support.tables import each_row

CYB, TEO, MPL, *_ = InsuranceProduct
REFER, DECLINE = Recommendation

CYBER_ANSWERS: Mapping[str, AnswerValue] = {
    "Q2134": True,
    "Q2314": 12,
    "Q2244": ("None of the above",),
    "Q2159": False,
    "Q2142": True,
    "Q2300": True,
    "Q2301": True,
    "Q2146": False,
    "Q2147": False,
}
GOOD_ANSWERS: Mapping[InsuranceProduct, Mapping[str, AnswerValue]] = {
    CYB: CYBER_ANSWERS,
    TEO: {**CYBER_ANSWERS, "2246": True, "2226": ("None of the above",), "2209": ("Digital marketing",)},
    MPL: {
        "Q2401": ("Graphic or web design",),
        "Q2412": ("None of the above",),
        "Q2413": True,
        "Q2415": True,
        "Q2416": "0",
        "Q2419": False,
        "Q2421": False,
    },
}
SHOE_STORE = "458210"
BANK = "522110"


def finding(check_id: str, title: str, *, red_flag: bool = False) -> Finding:
    return Finding(check_id, title, Severity.HIGH, 5, red_flag, "www.brightfield.example", "seen")


def scan_of(
    *findings: Finding, score: int | None = 95, outcome: ScanOutcome = ScanOutcome.FINISHED
) -> ScanResult:
    at = datetime(2026, 2, 1, 12, tzinfo=UTC)
    return ScanResult(outcome, ("brightfield.example",), at, "test", score, findings)


def good_case(
    product: InsuranceProduct,
    *,
    revenue: int = 1_000_000,
    limit: int = 1_000_000,
    industry: str | None = SHOE_STORE,
    retroactive: date | str | None = None,
    answers: Mapping[str, AnswerValue] = MappingProxyType({}),
    names: tuple[str, ...] = ("Brightfield Supply Inc",),
    domains: tuple[str, ...] = ("brightfield.example",),
    sanctioned: tuple[str, ...] = (),
    **changes: Any,
) -> Case:
    given = {bare_id(key): value for key, value in {**GOOD_ANSWERS[product], **answers}.items()}
    risk = Risk(
        product=product,
        revenue=revenue,
        state="OH",
        industry=industry,
        answers=Answers(MappingProxyType(given)),
        term=Term(date(2026, 3, 1), date(2027, 3, 1), retroactive=retroactive),
    )
    applicant = Applicant(
        risk, find_industry(industry), names, "2026.1", domains, sanctions=SanctionsList.of(sanctioned)
    )
    return replace(Case(applicant, OptionAsk(limit), scan_of()), **changes)


# Each rule: the products it applies to, what sets it off, and what only just does not.
CROSSINGS: Mapping[str, tuple[tuple[InsuranceProduct, ...], dict[str, Any], dict[str, Any]]] = {
    "sanctioned_party": (
        (CYB, TEO, MPL),
        {"sanctioned": ("BRIGHTFIELD SUPPLY, INC.",)},
        {"sanctioned": ("Brightfield Supplies Inc",)},
    ),
    "embargoed_country": (
        (CYB, TEO, MPL),
        {"domains": ("brightfield.example", "brightfield.ir")},
        {"domains": ("brightfield.example", "ir.example")},
    ),
    "missing_domain": (
        (CYB, TEO),
        {"domains": (), "scan": None},
        {"domains": (), "scan": None, "answers": {"Q2134": False}},
    ),
    "referred_industry": ((CYB,), {"industry": BANK}, {"industry": SHOE_STORE}),
    "unknown_industry": (
        (CYB,),
        {"industry": None, "revenue": 10_000_001},
        {"industry": None, "revenue": 10_000_000},
    ),
    "prohibited_activity": (
        (CYB, TEO),
        {"answers": {"Q2244": ("Cannabis",)}},
        {"answers": {"Q2244": ("None of the above",)}},
    ),
    "listed_activity": (
        (CYB, TEO),
        {"answers": {"Q2244": ("Debt collection agency",)}},
        {"answers": {"Q2244": ("None of the above",)}},
    ),
    "not_mainly_technology": ((TEO,), {"answers": {"2246": False}}, {"answers": {"2246": True}}),
    "prohibited_technology": (
        (TEO,),
        {"answers": {"2226": ("Cryptocurrency, blockchain, or cryptomining",)}},
        {"answers": {"2226": ("None of the above",)}},
    ),
    "listed_technology": (
        (TEO,),
        {"answers": {"2226": ("Sharing economy platforms",)}},
        {"answers": {"2226": ("None of the above",)}},
    ),
    "referred_technology_work": (
        (TEO,),
        {"answers": {"2224": ("IT security",)}},
        {"answers": {"2224": ("E-commerce",)}},
    ),
    "prohibited_profession": (
        (MPL,),
        {"answers": {"Q2412": ("Medical diagnosis or treatment",)}},
        {"answers": {"Q2412": ("None of the above",)}},
    ),
    "listed_profession": (
        (MPL,),
        {"answers": {"Q2412": ("Placement of insurance",)}},
        {"answers": {"Q2412": ("None of the above",)}},
    ),
    "referred_services": (
        (MPL,),
        {"answers": {"Q2401": ("Mortgage brokerage",)}},
        {"answers": {"Q2401": ("Property management",)}},
    ),
    "remote_access_without_mfa": (
        (CYB, TEO),
        {"answers": {"Q2301": False}, "revenue": 5_000_000},
        {"answers": {"Q2301": False}, "revenue": 4_999_999},
    ),
    "no_mfa_anywhere": (
        (CYB, TEO),
        {"answers": {"Q2300": False, "Q2301": False}},
        {"answers": {"Q2300": False, "Q2301": True}},
    ),
    "no_backups": (
        (CYB, TEO),
        {"answers": {"Q2142": False}, "revenue": 10_000_000},
        {"answers": {"Q2142": False}, "revenue": 9_999_999},
    ),
    "no_endpoint_detection": (
        (CYB, TEO),
        {"answers": {"Q2304": ("No EDR in Place",)}, "revenue": 50_000_000},
        {"answers": {"Q2304": ("No EDR in Place",)}, "revenue": 49_999_999},
    ),
    "many_records": ((CYB, TEO), {"answers": {"Q2159": True}}, {"answers": {"Q2159": False}}),
    "past_cyber_event": ((CYB, TEO), {"answers": {"Q2146": True}}, {"answers": {"Q2146": False}}),
    "known_circumstance": ((CYB, TEO), {"answers": {"Q2147": True}}, {"answers": {"Q2147": False}}),
    "professional_claims": ((MPL,), {"answers": {"Q2416": "1"}}, {"answers": {"Q2416": "0"}}),
    "known_wrongful_act": ((MPL,), {"answers": {"Q2419": True}}, {"answers": {"Q2419": False}}),
    "disciplinary_action": ((MPL,), {"answers": {"Q2421": True}}, {"answers": {"Q2421": False}}),
    "prior_acts_without_continuous_cover": (
        (MPL,),
        {"answers": {"Q2415": False}, "retroactive": FULL_PRIOR_ACTS},
        {"answers": {"Q2415": True}, "retroactive": FULL_PRIOR_ACTS},
    ),
    "retention_above_share": (
        (CYB, TEO, MPL),
        {"retention_above_share": True},
        {"retention_above_share": False},
    ),
    "limit_too_small": ((CYB, TEO, MPL), {"limit_too_small": True}, {"limit_too_small": False}),
    "no_cover_per_claim": ((CYB, TEO, MPL), {"no_cover_per_claim": True}, {"no_cover_per_claim": False}),
    "broker_conflict": ((CYB, TEO, MPL), {"broker_conflict": True}, {"broker_conflict": False}),
    "pricing_failed": ((CYB, TEO, MPL), {"pricing_failed": True}, {"pricing_failed": False}),
    "renewal_held": ((CYB, TEO, MPL), {"renewal_held": True}, {"renewal_held": False}),
    "outside_binder": ((CYB, TEO, MPL), {"outside_binder": "No binder."}, {"outside_binder": ""}),
    "scan_failed": (
        (CYB, TEO),
        {"scan": scan_of(score=None, outcome=ScanOutcome.FAILED)},
        {"scan": scan_of(outcome=ScanOutcome.PARTIAL)},
    ),
    "nothing_collected": (
        (CYB, TEO),
        {"scan": scan_of(score=None, outcome=ScanOutcome.NOTHING_COLLECTED)},
        {"scan": scan_of(outcome=ScanOutcome.PARTIAL)},
    ),
    "red_flags": (
        (CYB, TEO),
        {"scan": scan_of(finding("RDP_OPEN", "RDP reachable", red_flag=True))},
        {"scan": scan_of(finding("HTTP_EOL", "End-of-life web server"))},
    ),
    "low_scan_score": ((CYB, TEO), {"scan": scan_of(score=49)}, {"scan": scan_of(score=50)}),
}  # fmt: skip

STATUS_OF: Mapping[str, QuoteStatus] = {
    "limit_above_authority": QuoteStatus.AUTHORITY_FAILED,
    "revenue_above_authority": QuoteStatus.AUTHORITY_FAILED,
    "missing_domain": QuoteStatus.MISSING_QUICK_SCAN,
    "scan_failed": QuoteStatus.QUICK_SCAN_ERROR,
    "nothing_collected": QuoteStatus.COLLECTION_ISSUE,
    "red_flags": QuoteStatus.RED_FLAGS_FOUND,
    "broker_conflict": QuoteStatus.BROKER_CONFLICT_REFERRAL,
    "pricing_failed": QuoteStatus.CALC_FAILED,
}
DECLINES = {
    "sanctioned_party",
    "embargoed_country",
    "prohibited_activity",
    "prohibited_technology",
    "prohibited_profession",
}


def codes(case: Case) -> list[str]:
    return [reason.code for reason in screen(case)]


@pytest.mark.parametrize("product", InsuranceProduct)
def test_a_good_case_has_no_reason(product: InsuranceProduct) -> None:
    assert screen(good_case(product)) == ()


@each_row(
    ("code", "product"),
    [(code, product) for code, (products, *_) in CROSSINGS.items() for product in products],
)
def test_each_rule_refers_what_crosses_its_line(code: str, product: InsuranceProduct) -> None:
    reasons = [reason for reason in screen(good_case(product, **CROSSINGS[code][1])) if reason.code == code]

    assert len(reasons) == 1
    assert reasons[0].text
    assert reasons[0].status is STATUS_OF.get(code, QuoteStatus.AQ_NOT_APPROVED)
    assert reasons[0].recommendation is (DECLINE if code in DECLINES else REFER)


@each_row(
    ("code", "product"),
    [(code, product) for code, (products, *_) in CROSSINGS.items() for product in products],
)
def test_no_rule_refers_what_only_just_stays_within_its_line(code: str, product: InsuranceProduct) -> None:
    assert code not in codes(good_case(product, **CROSSINGS[code][2]))


@each_row(
    ("code", "product"),
    [
        (code, each)
        for code, (products, *_) in CROSSINGS.items()
        for each in InsuranceProduct
        if each not in products
    ],
)
def test_no_rule_touches_a_product_that_it_does_not_apply_to(code: str, product: InsuranceProduct) -> None:
    assert code not in codes(good_case(product, **CROSSINGS[code][1]))


def test_every_rule_function_is_in_the_book_of_a_product_and_is_tried_here() -> None:
    modules: tuple[ModuleType, ...] = (activities, authority, controls, outside_view)

    written = {
        name
        for module in modules
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and function.__annotations__["return"] == Reason | None
    }

    assert written == set(all_reason_codes())
    assert written == set(CROSSINGS) | {"limit_above_authority", "revenue_above_authority"}


def test_codes_are_unique_and_every_rule_says_what_it_is_for() -> None:
    entries = rule_catalogue()

    assert len({entry.code for entry in entries}) == len(entries)
    assert all(entry.meaning.startswith("Refer ") for entry in entries)


def test_the_catalogue_says_which_products_a_rule_applies_to() -> None:
    products = {entry.code: entry.products for entry in rule_catalogue()}

    assert {code: products[code] for code in CROSSINGS} == {code: row[0] for code, row in CROSSINGS.items()}
    assert products["limit_above_authority"] == (CYB, TEO, MPL)
    assert products["revenue_above_authority"] == (TEO, MPL)


@each_row(
    ("product", "limit", "revenue", "expected"),
    [
        (CYB, 3_000_000, 5_000_000_000, []),
        (CYB, 4_000_000, 1, [("limit_above_authority", REFER)]),
        (TEO, 3_000_000, 25_000_000, []),
        (TEO, 4_000_000, 25_000_000, [("limit_above_authority", REFER)]),
        (TEO, 3_000_000, 25_000_001, [("revenue_above_authority", REFER)]),
        (TEO, 4_000_000, 500_000_000, [("limit_above_authority", REFER), ("revenue_above_authority", REFER)]),
        (MPL, 2_000_000, 50_000_000, []),
        (MPL, 2_500_000, 50_000_000, [("limit_above_authority", REFER)]),
        (MPL, 2_000_000, 50_000_001, [("revenue_above_authority", REFER)]),
        (MPL, 2_000_000, 100_000_000, [("revenue_above_authority", REFER)]),
        (MPL, 2_000_000, 100_000_001, [("revenue_above_authority", DECLINE)]),
    ],
)
def test_automatic_authority_ends_where_it_should(
    product: InsuranceProduct, limit: int, revenue: int, expected: list[tuple[str, Recommendation]]
) -> None:
    reasons = authority_reasons(record_of(product).authority, limit, revenue)

    assert [(reason.code, reason.recommendation) for reason in reasons] == expected
    assert {reason.status for reason in reasons} <= {QuoteStatus.AUTHORITY_FAILED}


def test_a_reason_of_authority_names_both_amounts() -> None:
    (reason,) = authority_reasons(record_of(CYB).authority, 5_000_000, 1_000_000)

    assert reason.text == (
        "The aggregate limit of $5,000,000 is above the $3,000,000 that is quoted automatically"
    )


WATCHED_OPTIONS = [
    (product, question.id, choice.text, choice.action)
    for product in InsuranceProduct
    for question in question_set(product, "2026.1")
    for choice in question.options
    if choice.action is not Action.QUOTE
]


@each_row(("product", "question_id", "text", "action"), WATCHED_OPTIONS)
def test_every_option_that_the_question_set_marks_is_referred_with_its_recommendation(
    product: InsuranceProduct, question_id: str, text: str, action: Action
) -> None:
    reasons = screen(good_case(product, answers={question_id: (text,)}))

    assert [reason.recommendation for reason in reasons if text in reason.text] == [Recommendation(action)]


def test_options_to_decline_and_to_refer_are_told_apart() -> None:
    case = good_case(CYB, answers={"Q2244": ("Gambling", "Debt collection agency", "Cannabis")})

    assert [(reason.code, reason.text, reason.recommendation) for reason in screen(case)] == [
        ("prohibited_activity", "Activities outside the cyber appetite: Gambling; Cannabis", DECLINE),
        ("listed_activity", "Activities that need review: Debt collection agency", REFER),
    ]


def test_an_industry_of_no_known_sector_counts_as_unknown() -> None:
    assert "unknown_industry" in codes(good_case(CYB, industry="990000", revenue=10_000_001))


def test_the_reason_of_a_referred_industry_says_why() -> None:
    why = find_industry(BANK).reason

    (reason,) = screen(good_case(CYB, industry=BANK))

    assert why is not None
    assert reason.text == f"The industry is not quoted automatically: {why}"


@pytest.mark.parametrize("claims", ["1", "2", "3 or more"])
def test_any_professional_claim_is_referred(claims: str) -> None:
    assert codes(good_case(MPL, answers={"Q2416": claims})) == ["professional_claims"]


@pytest.mark.parametrize(
    ("retroactive", "answers", "is_referred"),
    [
        (FULL_PRIOR_ACTS, {"Q2413": False, "Q2415": True}, True),
        (FULL_PRIOR_ACTS, {"Q2413": True, "Q2415": False}, True),
        (FULL_PRIOR_ACTS, {"Q2413": True, "Q2415": True}, False),
        (date(2020, 1, 1), {"Q2413": False, "Q2415": False}, False),
        (None, {"Q2413": False, "Q2415": False}, False),
    ],
)
def test_full_prior_acts_need_cover_in_force_that_was_continuous(
    retroactive: date | str | None, answers: dict[str, AnswerValue], is_referred: bool
) -> None:
    found = codes(good_case(MPL, retroactive=retroactive, answers=answers))

    assert found == (["prior_acts_without_continuous_cover"] if is_referred else [])


@pytest.mark.parametrize("scan", [None, scan_of(score=None, outcome=ScanOutcome.NOT_APPLICABLE)])
def test_domains_that_were_not_scanned_are_never_published(scan: ScanResult | None) -> None:
    assert codes(good_case(CYB, scan=scan)) == ["scan_failed"]


def test_domains_are_scanned_even_of_a_firm_that_says_it_has_no_website() -> None:
    failed = scan_of(score=None, outcome=ScanOutcome.FAILED)

    assert codes(good_case(CYB, scan=failed, answers={"Q2134": False})) == ["scan_failed"]


def test_a_firm_without_website_and_domain_needs_no_scan() -> None:
    assert codes(good_case(CYB, scan=None, domains=(), answers={"Q2134": False})) == []


def test_a_red_flag_on_two_hosts_is_named_once_and_plain_findings_not_at_all() -> None:
    rdp = finding("RDP_OPEN", "RDP reachable", red_flag=True)
    scan = scan_of(
        rdp, finding("HTTP_EOL", "End-of-life web server"), replace(rdp, host="vpn.brightfield.example")
    )

    (reason,) = screen(good_case(CYB, scan=scan))

    assert reason.text == "The scan found severe weaknesses: RDP reachable"


def test_all_reasons_are_kept_in_the_order_of_the_pipeline() -> None:
    case = good_case(
        CYB,
        limit=5_000_000,
        revenue=60_000_000,
        industry=None,
        answers={
            "Q2300": False,
            "Q2301": False,
            "Q2142": False,
            "Q2304": ("No EDR in Place",),
            "Q2146": True,
        },
        scan=scan_of(finding("SMB_OPEN", "SMB reachable", red_flag=True), score=30),
        broker_conflict=True,
        pricing_failed=True,
        retention_above_share=True,
    )

    assert codes(case) == [
        "limit_above_authority",
        "pricing_failed",
        "red_flags",
        "broker_conflict",
        "retention_above_share",
        "unknown_industry",
        "remote_access_without_mfa",
        "no_mfa_anywhere",
        "no_backups",
        "no_endpoint_detection",
        "past_cyber_event",
        "low_scan_score",
    ]


def test_what_the_pipeline_passes_through_is_all_in_the_order() -> None:
    assert set(PIPELINE_ORDER) == set(PASSING)
    assert len(PIPELINE_ORDER) == len(PASSING)


def test_before_a_scan_everything_but_the_scan_is_screened() -> None:
    case = good_case(CYB, scan=None, limit=4_000_000, broker_conflict=True, answers={"Q2159": True})

    assert [reason.code for reason in screen_before_scan(case)] == [
        "limit_above_authority",
        "broker_conflict",
        "many_records",
    ]


def test_what_an_applicant_said_is_screened_without_option_or_scan() -> None:
    case = good_case(CYB, domains=(), answers={"Q2147": True}, limit=4_000_000, pricing_failed=True)

    assert [reason.code for reason in answer_reasons(case.applicant)] == [
        "missing_domain",
        "known_circumstance",
    ]


def test_a_firm_without_mfa_is_either_restricted_or_referred() -> None:
    terms = Terms(1_000_000, 1_000_000, 2_500, None)
    small = good_case(CYB, revenue=4_999_999, answers={"Q2301": False})
    large = good_case(CYB, revenue=5_000_000, answers={"Q2301": False})

    def extortion_limit(case: Case) -> int:
        coverages = coverages_for(COVERAGES.named("2026.1"), case.applicant.risk, terms)
        return next(coverage.limit for coverage in coverages if coverage.code == "EXTORT")

    assert (codes(small), extortion_limit(small)) == ([], 250_000)
    assert (codes(large), extortion_limit(large)) == (["remote_access_without_mfa"], 1_000_000)


@pytest.mark.parametrize("name", ["ACME  HOLDINGS, L.L.C.", "Acme Holdings L L C", "Açmé Holdings (L.L.C.)"])
def test_a_name_is_compared_without_case_accents_and_punctuation(name: str) -> None:
    assert SanctionsList.of(["Acme Holdings L.L.C."]).holds(name)


@pytest.mark.parametrize("name", ["Acme Holding LLC", "Acme", "Acme Holdings L.L.C. of Ohio", "", "..."])
def test_another_name_is_not_on_the_list(name: str) -> None:
    assert not SanctionsList.of(["Acme Holdings L.L.C.", "...", ""]).holds(name)


def test_a_trade_name_is_compared_too() -> None:
    case = good_case(CYB, names=("Brightfield Supply Inc", "Night Harbor"), sanctioned=("NIGHT HARBOR",))

    assert [reason.text for reason in screen(case)] == [
        "The sanctions list holds the name of the applicant: Night Harbor"
    ]


def test_letters_of_other_scripts_stay_in_a_name() -> None:
    assert comparable_name("ООО «Ромашка»") == "ооо ромашка"  # noqa: RUF001 - Cyrillic on purpose


@pytest.mark.parametrize(
    "domain", ["shop.kp", "shop.ir", "shop.sy", "shop.cu", "SHOP.IR", "shop.ir.", "shop.xn--mgba3a4f16a"]
)
def test_domains_of_embargoed_countries_are_known(domain: str) -> None:
    assert is_embargoed_domain(domain)


@pytest.mark.parametrize("domain", ["shop.example", "ir.example", "shop.kr", "shopir", "shop.air"])
def test_other_domains_are_not_embargoed(domain: str) -> None:
    assert not is_embargoed_domain(domain)


GATEWAY = finding("MAIL_MX_SEG", "Inbound gateway seen in MX")
PORTAL = finding("VPN_PORTAL", "SSL-VPN portal seen")
NO_GATEWAY: Mapping[str, AnswerValue] = {"Q2302": ("No SEG in Place",)}
NO_VPN: Mapping[str, AnswerValue] = {"Q2315": "No"}


@pytest.mark.parametrize("product", [CYB, TEO])
def test_a_scan_that_disagrees_with_answers_is_noted_and_refers_nothing(product: InsuranceProduct) -> None:
    case = good_case(product, scan=scan_of(GATEWAY, PORTAL), answers={**NO_GATEWAY, **NO_VPN})

    assert notes_for(case) == (
        "The scan saw an inbound email gateway, but Q2302 says that none is in place",
        "The scan saw a VPN portal, but Q2315 says that no VPN is used",
    )
    assert screen(case) == ()


@pytest.mark.parametrize(
    ("scan", "answers"),
    [
        (scan_of(GATEWAY), {"Q2302": ("Mimecast",)}),
        (scan_of(GATEWAY), {}),
        (scan_of(PORTAL), {"Q2315": "Yes"}),
        (scan_of(PORTAL), {"Q2315": "Unknown"}),
        (scan_of(PORTAL), {}),
        (scan_of(), {**NO_GATEWAY, **NO_VPN}),
        (None, {**NO_GATEWAY, **NO_VPN}),
    ],
)
def test_nothing_is_noted_where_scan_and_answers_agree(
    scan: ScanResult | None, answers: Mapping[str, AnswerValue]
) -> None:
    assert notes_for(good_case(CYB, scan=scan, answers=answers)) == ()
