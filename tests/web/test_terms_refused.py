"""Terms that an underwriter types and that cannot stand: said while they are typed, refused when sent."""

import uuid
from typing import Any

import pytest

from support.binding import one_quoted, shown, status_of
from support.people import Person, fields_of, text_of
from support.service import Service

WHY = "The loss runs came in."
IN_DOLLARS = "The premium must be whole dollars, from $1 to $10,000,000."
IN_PERCENT = "The percent must be from -25 to 25, such as -7.5."
CANNOT_STAND: tuple[tuple[dict[str, str], str], ...] = (
    ({"percent": "-100"}, IN_PERCENT),
    ({"percent": "-25.1"}, IN_PERCENT),
    ({"percent": "1000000000"}, IN_PERCENT),
    ({"percent": "1e3"}, IN_PERCENT),
    ({"percent": "5", "premium": "900"}, "The percent is given beside a premium: type one of them."),
    ({"premium": "0"}, IN_DOLLARS),
    ({"premium": "-100"}, IN_DOLLARS),
    ({"premium": "1000000000"}, IN_DOLLARS),
    ({"premium": "1e3"}, IN_DOLLARS),
    ({"aggregate_retention": "777"}, "has no price in the tariff"),
)

OF_LARGER_FIRMS: dict[str, Any] = {
    "Q2302": ["Proofpoint"],
    "Q2304": ["CrowdStrike Falcon"],
    "Q2309": "Managed 24/7 by in-house security team",
    "Q2307": "No",
    "Q2315": "No",
    "Q2311": ["Offline or air-gapped (e.g. tape or disconnected disk)"],
    "Q2312": "Tape Vault Inc.",
    "Q2313": "Yes",
}


async def case_of(service: Service, quote: dict[str, Any]) -> str:
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )
    return f"/desk/case/{submission_id}"


async def preview(person: Person, path: str, form: dict[str, Any]) -> str:
    answer = await person.http.post(
        f"{path}/preview", data=form, headers={"Origin": person.origin, "X-Part": "worksheet"}
    )
    assert answer.status_code == 200, answer.text
    return text_of(answer.text)


def red_flags(body: dict[str, Any]) -> None:
    body["client"]["domains"] = ["red-flags.example.com"]


def large(body: dict[str, Any]) -> None:
    """Make it a firm whose lowest retention is $25,000."""
    body["client"]["revenue"] = 60_000_000
    body["questions"] += [{"id": question, "value": value} for question, value in OF_LARGER_FIRMS.items()]
    red_flags(body)


@pytest.mark.parametrize("of_one_option", [False, True])
@pytest.mark.parametrize("decision", ["approve", "amend"])
async def test_what_cannot_be_read_or_priced_is_refused_and_stays_in_its_field(
    service: Service, underwriter: Person, decision: str, of_one_option: bool, subtests: pytest.Subtests
) -> None:
    quote = await one_quoted(service, red_flags if decision == "approve" else lambda _: None)
    identifier, path = quote["quote_identifier"], await case_of(service, quote)
    form = {**fields_of(await underwriter.open(path), f"{path}/decide"), "reason": WHY}
    before = await shown(service, identifier), await service.count("journal")

    for typed, said in CANNOT_STAND:
        with subtests.test(str(typed)):
            fields = {f"{name}-{identifier}" if of_one_option else name: text for name, text in typed.items()}
            live = await preview(underwriter, path, {**form, **fields})
            sent = {**form, **fields, "decision": decision}
            refused = await underwriter.send(f"{path}/decide", status=422, **sent)

            assert said in live
            assert said in text_of(refused)
            assert "What you typed is still there." in text_of(refused)
            kept = fields_of(refused, f"{path}/decide")
            assert kept["reason"] == WHY
            if not of_one_option and "aggregate_retention" not in typed:
                assert {name: kept[name] for name in typed} == typed
            assert (await shown(service, identifier), await service.count("journal")) == before


@pytest.mark.parametrize(
    ("change", "typed", "said", "is_grave"),
    [
        (red_flags, {"premium": "1"}, "$1 is below the minimum premium of $700", True),
        (
            red_flags,
            {"aggregate_retention": "500000"},
            "The retention is 50 % of the limit, above 25 %",
            False,
        ),
        (
            large,
            {"aggregate_retention": "2500"},
            "$2,500 is below the lowest retention of $25,000 for a revenue of $60,000,000",
            False,
        ),
    ],
)
async def test_what_is_beyond_the_guidelines_takes_a_reason_and_the_gravest_a_second_yes(
    service: Service, underwriter: Person, change: Any, typed: dict[str, str], said: str, is_grave: bool
) -> None:
    quote = await one_quoted(service, change)
    identifier, path = quote["quote_identifier"], await case_of(service, quote)
    form = {**fields_of(await underwriter.open(path), f"{path}/decide"), **typed}

    live = await preview(underwriter, path, form)
    seen = fields_of(await underwriter.send(f"{path}/preview", **form), f"{path}/decide")
    seen.pop("sure", None)
    refused = text_of(await underwriter.send(f"{path}/decide", status=422, **{**seen, "decision": "approve"}))
    still = await status_of(service, identifier)
    explained = {**seen, "decision": "approve", "reason": WHY}
    sent = text_of(await underwriter.send(f"{path}/decide", status=422 if is_grave else 200, **explained))

    for page in (live, refused):
        assert "Beyond the guidelines" in page
        assert said in page
    assert "A reason is required: it goes on record." in refused
    assert still == "quote_referred"
    assert ("A yes is needed a second time" in sent) is is_grave
    assert await status_of(service, identifier) == ("quote_referred" if is_grave else "published")
