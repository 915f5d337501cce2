"""Schemathesis finds nothing in thousands of requests, valid and invalid, to every operation."""

import os
import re
import shutil
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

from bindery.client import Bindery
from support.client_tools import ANSWERS_WITHIN_S, run_tool
from support.processes import Running
from support.service import request_body

HERE = Path(__file__).parent
CASES = int(os.environ.get("CONTRACT_CASES", "3000"))
EXAMPLES = min(85, CASES // 35)
"""How many are tried for each operation in a run: 85 make about 4,000 cases, and more find few new ones."""
FIRST_SEED = 42

LONGEST_RUN_S = 1_200 + CASES * 0.5
"""Against a run that hangs; so long that a slow and busy machine does not reach it."""


def published(demo: Running, company: str) -> str:
    """Submit for a company, and return a published quote."""
    body = request_body()
    body["client"]["name"] = company
    with Bindery(demo.token, f"{demo.url}/v2") as client:
        identifier = client.create_quotes(body).quotes[0].quote_identifier
        client.wait_for_quote(identifier, timeout_s=ANSWERS_WITHIN_S)
    return identifier


@pytest.fixture(scope="module")
def known(demo: Running) -> dict[str, str]:
    """Files that name a quote, a policy and a webhook which requests can be about."""
    policy = published(demo, "Kestrel Policy LLC")
    effective = (datetime.now(UTC) + timedelta(days=7)).date().isoformat()
    authorized = {"Authorization": f"Bearer {demo.token}"}
    with httpx.Client(base_url=demo.url, headers=authorized, timeout=ANSWERS_WITHIN_S) as partner:
        bound = partner.post(
            "/v2/binds", json={"quote_identifier": policy, "dates": {"effective": effective}}
        )
        assert bound.json()["quotes"][0]["quote_status"] == "policy_active", bound.text
        webhook = partner.post(
            "/v2/webhooks",
            json={"endpoint": "http://127.0.0.1:9/", "quote_level": True, "policy_level": True},
        )
        assert webhook.status_code == 200, webhook.text
    return {
        "quotes.dict": f'"{published(demo, "Kestrel Quote LLC")}"\n"{policy}"\n',
        "webhooks.dict": f'"{webhook.json()["id"]}"\n',
    }


def run_schemathesis(
    document: Path, folder: Path, *options: str, demo: Running, known: dict[str, str]
) -> Any:
    shutil.copytree(HERE / "fuzzing", folder, dirs_exist_ok=True)
    for name, lines in known.items():
        (folder / name).write_text(lines)
    return run_tool(
        "schemathesis",
        "run",
        document,
        f"--url={demo.url}",
        "--no-color",
        *options,
        folder=folder,
        timeout_s=LONGEST_RUN_S,
        BINDERY_TOKEN=demo.token,
    )


@pytest.mark.timeout(LONGEST_RUN_S + 60)
def test_schemathesis_finds_nothing(
    document: Path, tmp_path: Path, demo: Running, known: dict[str, str]
) -> None:
    cases = 0
    for seed in count(FIRST_SEED):
        ran = run_schemathesis(
            document, tmp_path, f"--max-examples={EXAMPLES}", f"--seed={seed}", demo=demo, known=known
        )

        # Each failure is printed with the curl line that repeats it.
        assert ran.returncode == 0, ran.stdout + ran.stderr
        generated = re.search(r"(\d+) generated", ran.stdout)
        assert generated is not None, ran.stdout
        cases += int(generated[1])
        if cases >= CASES:
            break


def test_an_answer_that_is_not_in_the_document_is_found(
    document: Path, tmp_path: Path, demo: Running, known: dict[str, str]
) -> None:
    worse = document.read_text().replace('"quote_status"', '"quote_state"')
    file = tmp_path / "worse.json"
    file.write_text(worse)

    ran = run_schemathesis(
        file,
        tmp_path,
        "--max-examples=10",
        "--include-operation-id=get_quote",
        "--phases=fuzzing",
        demo=demo,
        known=known,
    )

    assert ran.returncode == 1
    assert "Response violates schema" in ran.stdout
    assert "curl -X GET" in ran.stdout
