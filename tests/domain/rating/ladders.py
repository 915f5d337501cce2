"""For each question the answers from the best to the worst, as an underwriter would order them."""

import random
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import get_args

from bindery.contract.vocabulary import (
    AggregateLimit,
    AggregateRetention,
    InsuranceProduct,
    PerClaimLimit,
    PerClaimRetention,
)
from bindery.domain.applicant.risk import FULL_PRIOR_ACTS, AnswerValue, Risk, Term, Terms
from domain.rating.rating_cases import CYB, EFFECTIVE, MPL, TEO, risk_of, terms_of

LIMITS = get_args(AggregateLimit)
RETENTIONS = {
    CYB: get_args(AggregateRetention),
    TEO: get_args(AggregateRetention),
    MPL: get_args(PerClaimRetention),
}

GOOD_TO_BAD = (True, False)
BAD_TO_SAY_YES = (False, True)

CYBER_LADDERS: dict[str, Sequence[AnswerValue]] = {
    "2300": GOOD_TO_BAD,
    "2301": GOOD_TO_BAD,
    "2142": GOOD_TO_BAD,
    "2311": (
        ("Offline or air-gapped (e.g. tape or disconnected disk)",),
        ("Cloud sync service (e.g. file-sync drive)",),
        ("Unknown",),
        ("Stored on the network without separation (e.g. same-domain NAS or file server)",),
    ),
    "2313": ("Yes", "No", "Unknown"),
    "2302": (("Proofpoint",), ("Other/Unknown",), ("No SEG in Place",)),
    "2304": (("CrowdStrike Falcon", "Other/Unknown"), ("Other/Unknown",), ("No EDR in Place",)),
    "2309": (
        "Managed 24/7 by in-house security team",
        "Managed within business hours by in-house security team",
        "Unknown",
        "Deployed but not actively monitored",
    ),
    "2315": ("No", "Yes", "Unknown"),
    "2326": (
        "Exclusively Cloud-based (e.g. all VPNs are SaaS)",
        "Hybrid (some VPN infrastructure hosted in the Cloud, some hosted On-Prem)",
        "Exclusively Non Cloud-based (e.g. all VPNs are hosted On-Prem)",
    ),
    "2316": (("Tailscale",), ("Tailscale", "SonicWall")),
    "2314": (1, 250, 251, 1_000, 1_001, 90_000),
    "2159": BAD_TO_SAY_YES,
    "2146": BAD_TO_SAY_YES,
    "2147": BAD_TO_SAY_YES,
}
LADDERS: dict[InsuranceProduct, dict[str, Sequence[AnswerValue]]] = {
    CYB: CYBER_LADDERS,
    TEO: CYBER_LADDERS
    | {
        "2248": GOOD_TO_BAD,
        "2249": GOOD_TO_BAD,
        "2229": GOOD_TO_BAD,
        "2205": GOOD_TO_BAD,
        "2210": (
            "Organizations (e.g., businesses, non-profits, government)",
            "People (e.g., consumers, patients)",
        ),
        "2204": ("Software", "Hardware"),
        "2207": (0, Decimal("249999.99"), 250_000, 1_000_000, 5_000_000),
        "2224": (
            ("None of the above",),
            ("E-commerce",),
            ("E-commerce", "IT security"),
            ("Emergency notification",),
        ),
    },
    MPL: {
        "2401": (
            ("Market research or surveys",),
            ("Interior design",),
            ("Interior design", "Claims adjusting"),
            ("Other",),
        ),
        "2403": (40, 10, 9, 3, 2, 0),
        "2405": ("Always", "Usually", "Sometimes", "Never"),
        "2406": GOOD_TO_BAD,
        "2407": ("Up to 25%", "26% to 50%", "More than 50%"),
        "2408": ("None", "Up to 25%", "More than 25%"),
        "2409": GOOD_TO_BAD,
        "2416": ("0", "1", "2", "3 or more"),
    },
}


def random_risk(rng: random.Random) -> Risk:
    """Draw a risk of any product, some of its questions unanswered."""
    product = rng.choice((CYB, TEO, MPL))
    answers = {
        question: rng.choice(ladder) for question, ladder in LADDERS[product].items() if rng.random() < 0.8
    }
    retroactive = EFFECTIVE - timedelta(days=rng.randrange(-30, 2_000)) if rng.random() < 0.5 else None
    term = Term(
        EFFECTIVE,
        rng.choice((date(2027, 12, 1), EFFECTIVE + timedelta(days=rng.randrange(181, 549)))),
        rng.choice((retroactive, FULL_PRIOR_ACTS)) if product is MPL else retroactive,
    )
    return risk_of(
        product,
        answers,
        revenue=int(10 ** rng.uniform(3, 10)),
        state=rng.choice(("OH", "CA", "IL", "FL", "NJ", "TX")),
        term=term,
        scan_score=rng.choice((None, rng.randrange(101))),
    )


def random_terms(risk: Risk, rng: random.Random) -> Terms:
    """Draw terms that a quote of the risk could carry."""
    limit = rng.choice(LIMITS)
    smaller = [value for value in get_args(PerClaimLimit) if value <= limit]
    return terms_of(
        risk.product,
        limit,
        rng.choice(RETENTIONS[risk.product]),
        per_claim_limit=rng.choice((None, rng.choice(smaller))),
        yearly_cap=rng.choice((None, 500_000)),
    )
