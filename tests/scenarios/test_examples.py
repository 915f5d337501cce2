"""Every request file in `examples/` does in the demo what its README says."""

import asyncio
import json
from dataclasses import dataclass
from functools import partial
from typing import Any

from bindery.contract.vocabulary import QuoteStatus
from support.processes import EXAMPLES
from support.service import Service
from support.waiting import eventually

README = (EXAMPLES / "README.md").read_text()
FILES = sorted(file.stem for file in EXAMPLES.glob("*.json"))


@dataclass(frozen=True)
class Outcome:
    """What becomes of a file: the statuses of its options, and the status at which one was stopped."""

    statuses: list[str]
    stopped_at: str | None = None
    reasons: tuple[str, ...] = ()


def referred(stopped_at: str, reason: str) -> Outcome:
    return Outcome(["quote_referred"], stopped_at, (reason,))


EXPECTED = {
    "cyb": Outcome(["published"] * 5),
    "teo": Outcome(["published"] * 5),
    "mpl": Outcome(["published"] * 5),
    "teo-retroactive": Outcome(["published"]),
    "mpl-full-prior-acts": Outcome(["published"]),
    "weak": Outcome(["published"]),
    "prebind": Outcome(["published"]),
    "red-flags": referred("red_flags_found", "red_flags"),
    "scan-error": referred("quick_scan_error", "scan_failed"),
    "no-data": referred("collection_issue", "nothing_collected"),
    "missing-domain": referred("missing_quick_scan", "missing_domain"),
    "calc-error": referred("calc_failed", "pricing_failed"),
    "big-limit": Outcome(["published", "quote_referred"], "authority_failed", ("limit_above_authority",)),
    "approve": Outcome(["published"], "red_flags_found", ("red_flags",)),
    "decline": Outcome(["quote_declined"], "red_flags_found", ("red_flags",)),
}
STOPS = {
    "authority_failed",
    "missing_quick_scan",
    "quick_scan_error",
    "collection_issue",
    "red_flags_found",
    "calc_failed",
    "aq_not_approved",
    "broker_conflict_referral",
}


async def test_every_example_does_what_its_name_says(working_service: Service) -> None:
    names = [name for name in FILES if name != "broker-of-record"]

    outcomes = await asyncio.gather(*(outcome_of(working_service, name) for name in names))

    assert dict(zip(names, outcomes, strict=True)) == EXPECTED


async def test_the_broker_of_record_example_is_refused(service: Service) -> None:
    answer = await service.post("/v2/quotes", read("broker-of-record"))

    assert answer.status_code == 400
    assert answer.json()["reasons"] == {"domain": "domain_exists", "address": "address_exists"}
    assert await service.count("submissions") == 0


async def test_the_examples_show_what_their_readme_says_of_prices_and_papers(
    working_service: Service,
) -> None:
    service = working_service
    clean, weak, prebind, retroactive, plain, full, ordinary, broken = await asyncio.gather(
        *(
            service.quote(only_option(read(name), limit))
            for name, limit in (
                ("cyb", 1_000_000),
                ("weak", 1_000_000),
                ("prebind", 1_000_000),
                ("teo-retroactive", 1_000_000),
                ("teo", 1_000_000),
                ("mpl-full-prior-acts", 1_000_000),
                ("mpl", 1_000_000),
                ("calc-error", 1_000_000),
            )
        )
    )

    assert weak["premium"] > clean["premium"]
    assert [c["type"] for c in prebind["contingencies"]].count("pre_bind") == 1
    assert retroactive["premium"] > plain["premium"]
    assert len(retroactive["contingencies"]) == len(plain["contingencies"]) + 1
    assert full["premium"] > ordinary["premium"]
    assert full["dates"]["mpl_retroactive_date"] == "full_prior_acts"
    assert (broken["error_occurred"], clean["error_occurred"]) == (True, False)


def test_the_readme_lists_every_file_once() -> None:
    assert sorted({*EXPECTED, "broker-of-record"}) == FILES
    assert {name: README.count(f"[{name}.json]({name}.json)") for name in FILES} == dict.fromkeys(FILES, 1)


def read(name: str) -> dict[str, Any]:
    body: dict[str, Any] = json.loads((EXAMPLES / f"{name}.json").read_text())
    return body


def only_option(body: dict[str, Any], limit: int) -> dict[str, Any]:
    """Keep one option of a ladder, on the retention of the files it is compared with."""
    (retention,) = {"aggregate_retention", "per_claim_retention"} & set(body["policy"]["quotes"][0])
    amount = 5_000 if retention == "aggregate_retention" else 2_500
    option = {"aggregate_limit": limit, "per_claim_limit": limit, retention: amount}
    return {**body, "policy": {**body["policy"], "quotes": [option]}}


async def outcome_of(service: Service, name: str) -> Outcome:
    identifiers = [option["quote_identifier"] for option in (await service.submit(read(name)))["quotes"]]
    quotes = [await service.ready(identifier) for identifier in identifiers]
    if name in {"approve", "decline"}:
        # The simulated underwriter decides a moment after the referral can be seen.
        quotes = [
            await eventually(
                partial(service.ready, identifier),
                lambda quote: quote["quote_status"] != "quote_referred",
            )
            for identifier in identifiers
        ]
    visited = {
        entry.status_after for identifier in identifiers for entry in await service.journal(identifier)
    }
    stops: set[QuoteStatus | None] = {*(visited & STOPS)} or {None}
    (stopped_at,) = stops
    return Outcome(
        [quote["quote_status"] for quote in quotes],
        stopped_at,
        tuple(dict.fromkeys(reason["code"] for quote in quotes for reason in quote["referral_reasons"])),
    )
