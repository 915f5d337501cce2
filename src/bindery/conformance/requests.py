"""Bodies that the specification allows, to be changed by the rows; applicants are invented."""

import base64
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Final

from bindery.conformance.row import File, HttpStep, Value

CYB: Final = "CYB"
TEO: Final = "TEO"
MPL: Final = "MPL"

SIGNED: Final = File(
    "signed-application.png",
    base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
    ),
)
"""A picture of a page nobody can read: whoever attests it is taken at their word."""

_CYBER_ANSWERS: Final[Mapping[str, Any]] = {
    "Q2134": True,
    "Q2314": 35,
    "Q2244": ["None of the above"],
    "Q2159": False,
    "Q2142": True,
    "Q2300": True,
    "Q2301": True,
    "Q2146": False,
    "Q2147": False,
}
_TECHNOLOGY_ANSWERS: Final[Mapping[str, Any]] = {
    "2246": True,
    "2204": ["Software"],
    "2210": ["Organizations (e.g., businesses, non-profits, government)"],
    "2224": ["E-commerce"],
    "2226": ["None of the above"],
    "2248": True,
    "2229": True,
    "2207": "350000",
    "2249": True,
    "2205": True,
}
_PROFESSIONAL_ANSWERS: Final[Mapping[str, Any]] = {
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
ANSWERS: Final[Mapping[str, Mapping[str, Any]]] = {
    CYB: _CYBER_ANSWERS,
    TEO: {**_CYBER_ANSWERS, **_TECHNOLOGY_ANSWERS},
    MPL: _PROFESSIONAL_ANSWERS,
}

LARGE_REVENUE: Final = 6_000_000
LARGE_FIRM: Final[Mapping[str, Any]] = {
    "Q2311": ["Unknown"],
    "Q2313": "Yes",
    "Q2307": "No",
    "Q2302": ["No SEG in Place"],
    "Q2304": ["No EDR in Place"],
    "Q2315": "No",
}
"""What a larger firm is asked besides, answered so that nothing follows from it."""

_CLIENTS: Final[Mapping[str, Mapping[str, Any]]] = {
    CYB: {
        "name": "Rowbyrow Bakery LLC",
        "revenue": 2_500_000,
        "address": {"street": "1200 Market Street", "city": "Philadelphia", "zip": "19107", "state": "PA"},
        "industry": "311812",
        "domains": ["clean.example.com"],
    },
    TEO: {
        "name": "Rowbyrow Software Inc",
        "revenue": 4_200_000,
        "address": {"street": "48 Larch Avenue", "city": "Denver", "zip": "80202", "state": "CO"},
        "domains": ["clean.rowbyrow.example.com"],
    },
    MPL: {
        "name": "Rowbyrow Consulting Group LLC",
        "revenue": 1_800_000,
        "address": {"street": "77 Orchard Lane", "city": "Columbus", "zip": "43215", "state": "OH"},
        "industry": "541611",
    },
}
CONTACT: Final[Mapping[str, Any]] = {"email": "ann@rowbyrow.example"}
OPTION: Final[Mapping[str, Any]] = {"aggregate_limit": 1_000_000}


def submission(
    product: str = CYB,
    *,
    put: Mapping[str, Any] | None = None,
    drop: Sequence[str] = (),
    answers: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return a request that is quoted automatically, changed; an answer of None is not sent."""
    body: dict[str, Any] = {
        "client": {**deepcopy(dict(_CLIENTS[product])), "broker_email": Value("broker")},
        "policy": {"insurance_product": product, "quotes": [dict(OPTION)]},
        "questions": [
            {"id": name, "value": value}
            for name, value in {**ANSWERS[product], **(answers or {})}.items()
            if value is not None
        ],
    }
    for path, value in (put or {}).items():
        place, last = _place(body, path)
        place[last] = deepcopy(value)
    for path in drop:
        place, last = _place(body, path)
        del place[last]
    return body


def _place(body: dict[str, Any], path: str) -> tuple[dict[str, Any], str]:
    *way, last = path.split(".")
    place = body
    for name in way:
        place = place.setdefault(name, {})
    return place, last


def submit(body: Any, **more: Any) -> HttpStep:  # noqa: ANN401 - any body, wrong ones above all
    return HttpStep("POST", "/quotes", json=body, **more)


def get_quote(name: str = "quote", identifier: str = "{quote}", **more: Any) -> HttpStep:  # noqa: ANN401
    return HttpStep("GET", f"/quotes/{identifier}", waits=True, name=name, **more)


def bind(*, attested: bool | None = None, **more: Any) -> HttpStep:  # noqa: ANN401 - fields of a bind
    said = {} if attested is None else {"app_attestation": attested}
    body = {"quote_identifier": Value("quote"), "dates": {"effective": Value("effective")}, **said, **more}
    return HttpStep("POST", "/binds", json=body, name="bind")


def upload(*, drop: str = "", **more: Any) -> HttpStep:  # noqa: ANN401 - fields of the form
    form = {"quote_identifier": Value("quote"), "contingency": Value("contingency"), **more}
    return HttpStep(
        "POST",
        "/documents",
        form={name: value for name, value in form.items() if name != drop},
        file=None if drop == "file" else SIGNED,
        name="upload",
    )
