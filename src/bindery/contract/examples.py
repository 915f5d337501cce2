"""Example bodies, shown in the documentation and sent by the tests and the demo."""

from typing import Any, Final

EXAMPLE_WEBHOOK: Final = "0197b2c4-3f60-7a08-b1d2-94c7e5a0f316"
EXAMPLE_ENDPOINT: Final = "http://127.0.0.1:9000/webhooks"
"""One that the demo takes on every machine; in production it is https on the public internet."""

CREATE_QUOTES_EXAMPLE: Final[dict[str, Any]] = {
    "client": {
        "name": "Harborlight Bakery LLC",
        "revenue": 2_500_000,
        "broker_email": "broker@example.com",
        "address": {"street": "1200 Market Street", "city": "Philadelphia", "zip": "19107", "state": "PA"},
        "domains": ["clean.example.com"],
        "industry": "311812",
        "insured_main_contact": {
            "email": "ann@harborlight.example",
            "first_name": "Ann",
            "last_name": "Example",
        },
    },
    "policy": {
        "insurance_product": "CYB",
        "quotes": [
            {"aggregate_limit": 1_000_000, "aggregate_retention": 2_500},
            {"aggregate_limit": 2_000_000, "aggregate_retention": 5_000},
        ],
    },
    "questions": [
        {"id": "Q2134", "value": True},
        {"id": "Q2314", "value": 35},
        {"id": "Q2244", "value": ["None of the above"]},
        {"id": "Q2159", "value": False},
        {"id": "Q2142", "value": True},
        {"id": "Q2300", "value": True},
        {"id": "Q2301", "value": True},
        {"id": "Q2146", "value": False},
        {"id": "Q2147", "value": False},
    ],
}
