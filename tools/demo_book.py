"""A book of business for a running demo: companies in every state that the pages have to show.

Everything goes in by the API, as a partner's own program would send it.
"""

import copy
import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx

EXAMPLES: Final = Path(__file__).parents[1] / "examples"
NOBODY_LISTENS: Final = "http://127.0.0.1:9/webhooks"
WITHIN_S: Final = 120.0


@dataclass
class Partner:
    http: httpx.Client
    token: str
    quotes: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """The options of every company that was put in, by the name of its example."""

    def post(self, path: str, body: Any, **more: Any) -> Any:  # noqa: ANN401 - JSON
        answer = self.http.post(path, json=body, headers=self._headers, **more)
        answer.raise_for_status()
        return answer.json()

    def read(self, identifier: str) -> dict[str, Any]:
        until = time.monotonic() + WITHIN_S
        while True:
            answer = self.http.get(
                f"/v2/quotes/{identifier}", headers={**self._headers, "Prefer": "wait=20"}, timeout=60
            )
            answer.raise_for_status()
            if answer.status_code != httpx.codes.ACCEPTED or time.monotonic() > until:
                quote: dict[str, Any] = answer.json()
                return quote

    def delete(self, path: str) -> None:
        self.http.delete(path, headers=self._headers).raise_for_status()

    def send(self, example: str, name: str = "", **client: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
        body = copy.deepcopy(json.loads((EXAMPLES / f"{example}.json").read_text("utf-8")))
        body["client"].update(client)
        if name:
            body["client"]["name"] = name
        receipt: dict[str, Any] = self.post("/v2/quotes", body)
        return receipt

    def submit(self, example: str, name: str = "", **client: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - JSON
        receipt = self.send(example, name, **client)
        options = [self.read(row["quote_identifier"]) for row in receipt["quotes"]]
        self.quotes[name or example] = options
        return options

    def upload(self, quote: dict[str, Any], file: Path) -> None:
        signature = next(row for row in quote["contingencies"] if "signed and dated" in row["text"])
        answer = self.http.post(
            "/v2/documents",
            data={"quote_identifier": quote["quote_identifier"], "contingency": signature["contingency_id"]},
            files={"file": (file.name, file.read_bytes())},
            headers=self._headers,
        )
        answer.raise_for_status()

    def bind(self, quote: dict[str, Any], **more: Any) -> None:  # noqa: ANN401 - JSON
        dates = {"effective": quote["dates"]["effective"]}
        self.post("/v2/binds", {"quote_identifier": quote["quote_identifier"], "dates": dates, **more})

    @property
    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}


def fill(partner: Partner) -> None:
    """Put a company in for every state that the pages show, and a webhook that nobody answers."""
    partner.post("/v2/webhooks", {"endpoint": NOBODY_LISTENS, "quote_level": True, "policy_level": True})
    partner.submit("cyb", "Harborlight Bakery LLC")
    partner.submit("red-flags", "Quillstone Partners Inc")
    partner.submit("big-limit", "Merrow & Vale Logistics")
    partner.submit("calc-error", "Tannery Row Studios")
    partner.submit("teo", "Copperfield Software GmbH")
    partner.submit("mpl", "Ashgrove Consulting LLP")
    partner.submit("decline", "Old Mill Payday Loans (decline)")
    partner.bind(partner.submit("prebind", "Lantern Dental Group (prebind)")[0])
    on_condition = partner.submit("cyb", "Fernhill Veterinary Clinic")[0]
    partner.bind(on_condition)
    partner.upload(on_condition, EXAMPLES / "signed-application.jpg")
    issued = partner.submit("cyb", "Saltmarsh Architects")[0]
    partner.upload(issued, EXAMPLES / "signed-application.jpg")
    partner.bind(issued, app_attestation=True)
