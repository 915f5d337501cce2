"""Policy, its dates, and the options that are asked for."""

from collections.abc import Iterator
from typing import Any, Final

from bindery.conformance.expect import AtPath, at_day, equals, holding, items, same_as, with_one
from bindery.conformance.requests import CYB, MPL, TEO, get_quote, submission, submit
from bindery.conformance.row import Day, SpecRow, Value
from bindery.conformance.rows.making import GOOD, refused, taken

POLICY: Final = "Policy"
DATES: Final = "PolicyDates"
OPTION: Final = "QuoteOption"
LIMITS: Final = (
    100_000, 250_000, 300_000, 500_000, 750_000, 900_000, 1_000_000, 1_500_000, 2_000_000, 2_500_000,
    3_000_000, 4_000_000, 5_000_000, 6_000_000, 7_000_000, 8_000_000, 9_000_000, 10_000_000,
)  # fmt: skip
CLAIM_LIMITS: Final = (
    100_000, 250_000, 500_000, 750_000, 1_000_000, 2_000_000, 3_000_000, 4_000_000, 5_000_000, 6_000_000,
    7_000_000, 8_000_000, 9_000_000, 10_000_000,
)  # fmt: skip
RETENTIONS: Final = (
    2_500, 5_000, 10_000, 15_000, 25_000, 50_000, 75_000, 100_000, 150_000, 250_000, 500_000,
)  # fmt: skip
CLAIM_RETENTIONS: Final = (
    500, 1_000, 1_500, 2_500, 5_000, 7_500, 10_000, 15_000, 20_000, 25_000, 35_000, 50_000, 75_000, 100_000,
    150_000, 250_000, 500_000,
)  # fmt: skip
MOST_OPTIONS: Final = 15
RECEIPT: Final = {"quote": "quotes[0].quote_identifier"}


def _then_read(id_: str, section: str, sentence: str, *expect: AtPath, **change: Any) -> SpecRow:  # noqa: ANN401
    """Return a row about the quote that a changed request leads to."""
    return SpecRow(
        id_,
        section,
        sentence,
        (GOOD, *expect),
        steps=(submit(submission(**change), keep=RECEIPT), get_quote(keep={"effective": "dates.effective"})),
    )


def _policy() -> Iterator[SpecRow]:
    product = "insurance_product: CYB, TEO, MPL. Default CYB."
    for name in (CYB, TEO, MPL):
        yield _then_read(
            f"products.{name}", POLICY, product, AtPath("insurance_product", equals(name)), product=name
        )
    yield _then_read(
        "products.default",
        POLICY,
        product,
        AtPath("insurance_product", equals(CYB)),
        drop=("policy.insurance_product",),
    )
    for cover in ("network security", "breach response", "extortion"):
        yield SpecRow(
            f"products.TEO.{cover.replace(' ', '-')}",
            "What the service does",
            "TEO quotes always include cyber coverage, which cannot be removed.",
            (AtPath("coverages", with_one("coverage_name", holding(cover))),),
            scene="a published TEO quote",
            looks_at="quote",
            decision=True,
        )
    yield SpecRow(
        "products.same-address",
        "What the service does",
        "In the demo no BOR errors occur, so the same domain or address can be reused.",
        (GOOD,),
        scene="a CYB request taken",
        steps=(submit(submission(put={"client.name": "Rowbyrow Second Bakery LLC"})),),
    )
    yield SpecRow(
        "products.two",
        "What the service does",
        "To request quotes for other products for the same applicant, client.company_id is sent.",
        (GOOD, AtPath("company_id", same_as("company", "the company_id that was sent"))),
        scene="a CYB request taken",
        steps=(submit(submission(MPL, put={"client.company_id": Value("company")})),),
    )
    for word, wrong in (("unknown", "D&O"), ("lower-case", "cyb"), ("number", 1)):
        yield refused(f"products.{word}", POLICY, product, put={"policy.insurance_product": wrong})
    for word, code in (("null", None), ("empty", "")):
        sentence = "program_code: string or null. Default empty string."
        yield taken(f"policy.program_code.{word}", POLICY, sentence, put={"policy.program_code": code})
    yield refused(
        "policy.program_code.unknown",
        POLICY,
        "An unknown program code is refused.",
        decision=True,
        put={"policy.program_code": "NOPE-1"},
    )
    yield taken("policy.dates.missing", POLICY, "dates: not required.")
    yield taken("policy.quotes.missing", POLICY, "quotes: not required.", drop=("policy.quotes",))
    most = "quotes: at most 15 items."
    for count in (MOST_OPTIONS, MOST_OPTIONS + 1):
        options = [{"aggregate_limit": LIMITS[place % len(LIMITS)]} for place in range(count)]
        if count == MOST_OPTIONS:
            yield taken(
                "policy.quotes.most",
                POLICY,
                most,
                AtPath("quotes", items(count, count)),
                put={"policy.quotes": options},
            )
        else:
            yield refused("policy.quotes.too-many", POLICY, most, put={"policy.quotes": options})


def _dates() -> Iterator[SpecRow]:
    at = "policy.dates"
    yield refused(
        "dates.effective.missing", DATES, "effective: required.", put={at: {"expiration": Day(200)}}
    )
    for word, wrong in (
        ("words", "tomorrow"),
        ("slashes", "01/02/2027"),
        ("no-day", "2027-02-30"),
        ("number", 20270101),
    ):
        yield refused(
            f"dates.effective.{word}", DATES, "Dates are yyyy-mm-dd.", put={at: {"effective": wrong}}
        )
    yield _then_read(
        "dates.expiration.default",
        DATES,
        "expiration: default 12 months after effective.",
        AtPath("dates.expiration", at_day(Day(10, months=12), "12 months after effective")),
        put={at: {"effective": Day(10)}},
    )
    span = "The span from effective to expiration must be at least 6 months and at most 18 months."
    for word, end, is_taken in (
        ("6-months", Day(10, months=6), True),
        ("6-months-less-a-day", Day(10, months=6, then_days=-1), False),
        ("18-months", Day(10, months=18), True),
        ("18-months-and-a-day", Day(10, months=18, then_days=1), False),
        ("backwards", Day(-10), False),
    ):
        dates = {at: {"effective": Day(10), "expiration": end}}
        yield (taken if is_taken else refused)(f"dates.term.{word}", DATES, span, put=dates)
    half_a_year = {"effective": Day(10), "expiration": Day(10, months=6)}
    for field, day in half_a_year.items():
        words = f"{field}: as it was sent."
        yield _then_read(
            f"dates.{field}.shown",
            DATES,
            words,
            AtPath(f"dates.{field}", at_day(day, "as sent")),
            put={at: half_a_year},
        )
    mpl = "mpl_retroactive_date: a date, or the case-insensitive text full_prior_acts."
    prior = {"Q2414": "2018-05-01", "Q2415": True}
    for word, date in (
        ("full", "full_prior_acts"),
        ("any-case", "Full_PRIOR_acts"),
        ("date", Day(1, months=-12)),
    ):
        prior_acts: dict[str, Any] = {at: {"effective": Day(1), "mpl_retroactive_date": date}}
        yield taken(
            f"dates.mpl_retroactive_date.{word}", DATES, mpl, product=MPL, put=prior_acts, answers=prior
        )
    for word, wrong in (("words", "always"), ("number", 5)):
        prior_acts = {at: {"effective": Day(1), "mpl_retroactive_date": wrong}}
        yield refused(f"dates.mpl_retroactive_date.{word}", DATES, mpl, product=MPL, put=prior_acts)
    yield SpecRow(
        "dates.teo_retroactive_date.default",
        DATES,
        "teo_retroactive_date: default equals effective.",
        (AtPath("dates.teo_retroactive_date", same_as("effective", "the effective date")),),
        scene="a published TEO quote",
        looks_at="quote",
    )
    earlier = "When earlier than effective, post-bind contingencies are added: a copy of the expiring policy."
    yield SpecRow(
        "dates.teo_retroactive_date.earlier",
        DATES,
        earlier,
        (
            AtPath("contingencies", items(2)),
            AtPath("contingencies", with_one("text", holding("copy", "expiring policy"))),
        ),
        scene="a TEO quote with prior acts",
        looks_at="quote",
    )
    yield refused(
        "dates.teo_retroactive_date.wrong",
        DATES,
        "teo_retroactive_date: date.",
        product=TEO,
        put={at: {"effective": Day(1), "teo_retroactive_date": "full_prior_acts"}},
    )


def _options() -> Iterator[SpecRow]:
    def with_option(**option: int | str) -> dict[str, Any]:
        return {"policy.quotes": [{"aggregate_limit": 10_000_000, **option}]}

    for name, allowed, product, wrong in (
        ("aggregate_limit", LIMITS, CYB, 1_000_001),
        ("aggregate_retention", RETENTIONS, CYB, 3_000),
        ("per_claim_limit", CLAIM_LIMITS, CYB, 123_456),
        ("per_claim_retention", CLAIM_RETENTIONS, MPL, 600),
    ):
        words = f"{name}: one of {', '.join(map(str, allowed))}."
        echo = f"quotes[0].requested_{name}"
        for value in allowed:
            yield taken(
                f"options.{name}.{value}",
                OPTION,
                words,
                AtPath(echo, equals(value)),
                product=product,
                put=with_option(**{name: value}),
            )
        for word, bad in (("unlisted", wrong), ("zero", 0), ("text", "much"), ("negative", -allowed[0])):
            yield refused(
                f"options.{name}.{word}", OPTION, words, product=product, put=with_option(**{name: bad})
            )
    yield refused(
        "options.aggregate_limit.missing",
        OPTION,
        "aggregate_limit: required.",
        put={"policy.quotes": [{"aggregate_retention": 5_000}]},
    )
    more = "per_claim_limit must not exceed the aggregate limit."
    yield refused(
        "options.per_claim_limit.above",
        OPTION,
        more,
        put={"policy.quotes": [{"aggregate_limit": 1_000_000, "per_claim_limit": 2_000_000}]},
    )
    yield SpecRow(
        "options.per_claim_limit.default",
        OPTION,
        "per_claim_limit: defaults to the aggregate limit.",
        (AtPath("per_claim_limit", same_as("limit", "the aggregate limit")),),
        scene="a published CYB quote",
        looks_at="quote",
    )


ROWS: Final = (*_policy(), *_dates(), *_options())
