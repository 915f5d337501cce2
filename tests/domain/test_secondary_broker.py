import json
from typing import Any

import pytest

from bindery.domain.submission.parts import secondary_broker_of

ADDRESS = "Second@Example.com"


def body(client: dict[str, Any], **beside: Any) -> str:
    return json.dumps({"client": client, **beside})


@pytest.mark.parametrize(
    ("sent", "address"),
    [
        (body({"name": "x"}), None),
        (body({"name": "x", "secondary_broker_email": None}), None),
        (body({"name": "x", "secondary_broker_email": ADDRESS}), ADDRESS),
        # Names of fields may be spelled in escapes.
        ('{"client": {"secondary\\u005fbroker_email": "Second@Example.com"}}', ADDRESS),
        # Elsewhere it is some other field of that name.
        (body({"name": "x", "metadata": {"secondary_broker_email": ADDRESS}}), None),
        (body({"name": "x"}, secondary_broker_email=ADDRESS), None),
        (body({"name": "Zażółć \u00e9"}), None),
    ],
)
def test_the_secondary_broker_is_read_from_the_request_as_it_was_sent(sent: str, address: str | None) -> None:
    assert secondary_broker_of(sent) == address
