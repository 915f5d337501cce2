"""Applicants that nobody takes for real ones, and what they ask for."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bindery.contract.examples import CREATE_QUOTES_EXAMPLE
from bindery.contract.vocabulary import InsuranceProduct

FIRST_WORDS: Final = (
    "Copper", "Velvet", "Paper", "Marble", "Clover", "Thistle", "Amber", "Cobalt", "Willow", "Granite",
    "Saffron", "Juniper", "Pewter", "Hazel", "Indigo", "Maple", "Silver", "Tangerine", "Walnut", "Ivory",
)  # fmt: skip
SECOND_WORDS: Final = (
    "Lantern", "Otter", "Anchor", "Teapot", "Heron", "Compass", "Badger", "Windmill", "Sparrow", "Kettle",
    "Umbrella", "Lighthouse", "Hedgehog", "Bicycle", "Puffin", "Accordion", "Walrus", "Telescope", "Bramble",
    "Domino",
)  # fmt: skip
PLACES: Final = (
    ("Philadelphia", "PA", "19107"), ("Denver", "CO", "80202"), ("Columbus", "OH", "43215"),
    ("Boston", "MA", "02108"), ("Austin", "TX", "78701"), ("Portland", "OR", "97204"),
    ("Madison", "WI", "53703"), ("Nashville", "TN", "37203"), ("Seattle", "WA", "98101"),
    ("Atlanta", "GA", "30303"), ("Minneapolis", "MN", "55401"), ("Tucson", "AZ", "85701"),
    ("Raleigh", "NC", "27601"), ("Albany", "NY", "12207"),
)  # fmt: skip
STREETS: Final = ("Orchard Lane", "Larch Avenue", "Harbor Street", "Mill Road", "Station Square")
PEOPLE: Final = ("Ann", "Sam", "Lee", "Kim", "Robin", "Alex", "Jo", "Pat")
REVENUES: Final = (380_000, 750_000, 1_200_000, 1_850_000, 2_400_000, 3_100_000, 4_600_000)
BROKERAGES: Final = {
    "broker@example.com": "Harbor Row Insurance Brokers",
    "dana@brokerage.example": "Larch & Mill Brokerage",
    "luis@brokerage.example": "Larch & Mill Brokerage",
}

YES_NO: Final = CREATE_QUOTES_EXAMPLE["questions"]
TECHNOLOGY: Final = {
    "2246": True,
    "2204": "Software",
    "2210": "Organizations (e.g., businesses, non-profits, government)",
    "2224": ["Custom computer programming or software development"],
    "2226": ["None of the above"],
    "2248": True,
    "2229": True,
    "2207": 350_000,
    "2249": True,
    "2205": True,
}
PROFESSIONAL: Final = {
    "Q2401": ["Management or business consulting"],
    "Q2403": 9,
    "Q2404": 6,
    "Q2412": ["None of the above"],
    "Q2405": "Always",
    "Q2406": True,
    "Q2407": "Up to 25%",
    "Q2408": "None",
    "Q2410": False,
    "Q2411": True,
    "Q2413": True,
    "Q2416": "0",
    "Q2419": False,
    "Q2421": False,
    "Q2423": False,
}


@dataclass(frozen=True, slots=True)
class Trade:
    words: str
    product: InsuranceProduct
    industry: str | None = None


CYBER, TECH, OFFICE = InsuranceProduct.CYB, InsuranceProduct.TEO, InsuranceProduct.MPL
TRADES: Final = (
    Trade("Bakery LLC", CYBER, "311811"),
    Trade("Dental Group PC", CYBER, "621210"),
    Trade("Veterinary Clinic", CYBER, "541940"),
    Trade("Hardware Inc", CYBER, "444140"),
    Trade("Architects LLP", CYBER, "541310"),
    Trade("Print Works", CYBER, "323111"),
    Trade("Books LLC", CYBER, "459210"),
    Trade("Travel Bureau", CYBER, "561510"),
    Trade("Furniture Co", CYBER, "337122"),
    Trade("Garage LLC", CYBER, "811111"),
    Trade("Software Inc", TECH),
    Trade("Data Systems LLC", TECH),
    Trade("App Studio", TECH),
    Trade("Consulting Group LLC", OFFICE, "541611"),
    Trade("Design Office", OFFICE, "541430"),
    Trade("Advisors LLP", OFFICE, "541611"),
)
LIMITS: Final = ((500_000, 2_500), (1_000_000, 2_500), (2_000_000, 5_000), (3_000_000, 10_000))
CLAIM_LIMITS: Final = ((250_000, 1_000), (500_000, 1_000), (1_000_000, 2_500), (2_000_000, 5_000))
ABOVE_AUTHORITY: Final = (5_000_000, 10_000)


def invented_name(number: int) -> str:
    """Return the two words of a name; four hundred numbers have different ones."""
    first = FIRST_WORDS[number % len(FIRST_WORDS)]
    second = SECOND_WORDS[(number // len(FIRST_WORDS) + number) % len(SECOND_WORDS)]
    return f"{first} {second}"


def invented_request(number: int, rng: random.Random, *, label: str = "", ending: str = "") -> dict[str, Any]:
    """Write the request of an applicant.

    `label` chooses what the scan finds, as the demo's domains do; `ending` what the applicant's name ends in.
    """
    # A label is for the scan, so the product must be one that is scanned.
    trades = [trade for trade in TRADES if not label or trade.product is not OFFICE]
    trade = rng.choice(trades)
    words = invented_name(number)
    slug = words.lower().replace(" ", "-")
    city, state, code = rng.choice(PLACES)
    client: dict[str, Any] = {
        "name": " ".join(part for part in (words, trade.words, ending) if part),
        "revenue": rng.choice(REVENUES),
        "broker_email": rng.choices(tuple(BROKERAGES), (5, 3, 2))[0],
        "address": {
            "street": f"{rng.randint(2, 980)} {rng.choice(STREETS)}",
            "city": city,
            "zip": code,
            "state": state,
        },
        "insured_main_contact": {
            "email": f"office@{slug}.example",
            "first_name": rng.choice(PEOPLE),
            "last_name": "Example",
        },
        "metadata": {"sample": True, "crm": f"S-{number:04}"},
    }
    if trade.product is not OFFICE and label != "missing-domain":
        client["domains"] = [f"{label or rng.choice(('clean', 'clean', 'weak', slug))}.{slug}.example.com"]
    if trade.industry is not None:
        client["industry"] = trade.industry
    return {
        "client": client,
        "policy": {"insurance_product": trade.product, "quotes": _options(trade.product, rng)},
        "questions": _answers(trade.product),
    }


def _options(product: InsuranceProduct, rng: random.Random) -> list[dict[str, int]]:
    count = rng.choices((1, 2, 3), (3, 4, 2))[0]
    if product is OFFICE:
        return [
            {"aggregate_limit": limit, "per_claim_limit": limit, "per_claim_retention": retention}
            for limit, retention in _some(CLAIM_LIMITS, count, rng)
        ]
    return [option(*chosen) for chosen in _some(LIMITS, count, rng)]


def option(limit: int, retention: int) -> dict[str, int]:
    return {"aggregate_limit": limit, "aggregate_retention": retention}


def _some(ladder: Sequence[tuple[int, int]], count: int, rng: random.Random) -> Sequence[tuple[int, int]]:
    start = rng.randint(0, len(ladder) - count)
    return ladder[start : start + count]


def _answers(product: InsuranceProduct) -> list[Mapping[str, Any]]:
    if product is OFFICE:
        return _listed(PROFESSIONAL)
    return [*YES_NO, *(_listed(TECHNOLOGY) if product is TECH else ())]


def _listed(answers: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [{"id": name, "value": value} for name, value in answers.items()]
