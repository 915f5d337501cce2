"""The requests of the gallery's cases: invented companies, each hard to print in its own way."""

import copy
from typing import Any, Final

from bindery.contract.examples import CREATE_QUOTES_EXAMPLE
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.products import RetentionBasis, record_of
from bindery.domain.questions import QUESTIONS, question_set

Body = dict[str, Any]

P = InsuranceProduct
TECHNOLOGY_ANSWERS: Final = [
    {"id": "2246", "value": True},
    {"id": "2204", "value": "Software"},
    {"id": "2210", "value": "Organizations (e.g., businesses, non-profits, government)"},
    {"id": "2224", "value": ["Custom computer programming or software development", "E-commerce"]},
    {"id": "2226", "value": ["None of the above"]},
    {"id": "2248", "value": True},
    {"id": "2229", "value": True},
    {"id": "2207", "value": "$400,000"},
    {"id": "2249", "value": False},
    {"id": "2205", "value": True},
]
PROFESSIONAL_ANSWERS: Final = [
    {"id": "Q2401", "value": ["Management or business consulting", "Staffing or recruiting"]},
    {"id": "Q2403", "value": 12},
    {"id": "Q2404", "value": 8},
    {"id": "Q2412", "value": ["None of the above"]},
    {"id": "Q2405", "value": "Sometimes"},
    {"id": "Q2406", "value": False},
    {"id": "Q2407", "value": "26% to 50%"},
    {"id": "Q2408", "value": "Up to 25%"},
    {"id": "Q2409", "value": False},
    {"id": "Q2410", "value": False},
    {"id": "Q2411", "value": True},
    {"id": "Q2413", "value": True},
    {"id": "Q2416", "value": "0"},
    {"id": "Q2419", "value": False},
    {"id": "Q2421", "value": False},
    {"id": "Q2423", "value": False},
]
LONGEST_NAME: Final = 400
LONG_ANSWER: Final = 4_000
MOST_DOMAINS: Final = 75
MOST_OPTIONS: Final = 15


def plain(product: InsuranceProduct) -> Body:
    """Return an ordinary request for a product."""
    asked = {question.id for question in question_set(product, QUESTIONS.all[-1].edition)}
    body = copy.deepcopy(CREATE_QUOTES_EXAMPLE)
    body["policy"]["insurance_product"] = product.value
    body["policy"]["dates"] = {"effective": "2026-12-01", "expiration": "2027-12-01"}
    answers = (*body["questions"], *TECHNOLOGY_ANSWERS, *PROFESSIONAL_ANSWERS)
    body["questions"] = copy.deepcopy([answer for answer in answers if answer["id"] in asked])
    if record_of(product).retention is RetentionBasis.PER_CLAIM:
        body["policy"]["quotes"] = [
            {"aggregate_limit": 1_000_000, "per_claim_limit": 500_000},
            {"aggregate_limit": 2_000_000, "per_claim_limit": 1_000_000},
        ]
    return body


def long_texts() -> Body:
    """A: the longest name, as many domains as may be, red flags, and answers of 4,000 letters."""
    body = _in_state(plain(P.CYB), "Los Angeles", "CA", "90012")
    words = "The International Consolidated Amalgamated Orchards and Cold Storage Company of the Valley "
    body["client"]["name"] = (words * 5)[: LONGEST_NAME - 5].rstrip() + " Inc."
    body["client"]["domains"] = ["red-flags.example.com", "weak.example.com"] + [
        f"name-{number:03}.division-{number % 7}.orchards.example" for number in range(MOST_DOMAINS - 2)
    ]
    story = "In March the bookkeeper paid an invoice whose bank details had been changed on the way. "
    _answer(body, Q2146=True)
    _answer(body, Q2124=(story * 60)[:LONG_ANSWER])
    _answer(body, Q2147=True)
    _answer(body, Q2119=(f"{story}\n\n" * 60)[:LONG_ANSWER])
    return body


def many_options() -> Body:
    """B: fifteen options, many scripts in the names, and a retroactive date of 2019."""
    body = _in_state(plain(P.TEO), "New York", "NY", "10013")
    body["client"]["name"] = "Żółć & Ωmega Мир 株式会社 בדיקה Systems, Inc."
    body["client"]["dba"] = "São Łódź “Cloud” #1 *fast* $5"
    body["client"]["insured_main_contact"] |= {"first_name": "Zoë 🚀", "last_name": "O'Brien"}
    body["policy"]["dates"]["teo_retroactive_date"] = "2019-05-01"
    limits = (250_000, 500_000, 1_000_000, 2_000_000, 3_000_000)
    body["policy"]["quotes"] = [
        {"aggregate_limit": limits[place % 5], "aggregate_retention": (2_500, 10_000, 25_000)[place // 5]}
        for place in range(MOST_OPTIONS)
    ]
    return body


def all_services() -> Body:
    """C: full prior acts and every professional service there is."""
    body = _in_state(plain(P.MPL), "Louisville", "KY", "40202")
    services = next(
        question for question in question_set(P.MPL, QUESTIONS.all[-1].edition) if question.id == "Q2401"
    )
    body["policy"]["dates"]["mpl_retroactive_date"] = "full_prior_acts"
    _answer(body, Q2401=[option.text for option in services.options])
    _answer(body, Q2402="Restoration of church bells, about 4% of revenue, for parishes in three states.")
    _answer(body, Q2414="2011-06-01")
    _answer(body, Q2415=True)
    _answer(body, Q2424=True)
    return body


def retroactive_technology() -> Body:
    """D: technology in Louisiana, where the legend is signed, with a retroactive date."""
    body = _in_state(plain(P.TEO), "New Orleans", "LA", "70112")
    body["client"]["name"] = "Bayou Ledger Software, L.L.C."
    body["policy"]["dates"]["teo_retroactive_date"] = "2021-02-01"
    return body


def weak_security() -> Body:
    """E: no multi-factor authentication and a weak scan in California."""
    body = _in_state(plain(P.CYB), "Fresno", "CA", "93721")
    body["client"]["name"] = "Golden State Orchards, Inc."
    body["client"]["domains"] = ["weak.example.com"]
    _answer(body, Q2301=False)
    _answer(body, Q2142=False)
    return body


def nothing_optional() -> Body:
    """F: no more than a request must hold, in Oregon."""
    body = _in_state(plain(P.CYB), "Portland", "OR", "97204")
    body["client"]["name"] = "Alder"
    for name in ("dba", "insured_main_contact", "additional_contacts"):
        body["client"].pop(name, None)
    body["policy"]["quotes"] = []
    return body


def failed_scan() -> Body:
    """G: the scan broke off."""
    body = plain(P.CYB)
    body["client"]["domains"] = ["scan-error.example.com"]
    return body


def _in_state(body: Body, city: str, state: str, zip_code: str) -> Body:
    body["client"]["address"] = {
        "street": "1200 Market Street",
        "street2": "Suite 14",
        "city": city,
        "state": state,
        "zip": zip_code,
    }
    return body


def _answer(body: Body, **answers: object) -> None:
    others = [row for row in body["questions"] if row["id"] not in answers]
    body["questions"] = [*others, *({"id": question, "value": value} for question, value in answers.items())]
