"""`bindery quote` against a demo in another process."""

import json
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

from bindery.cli import common, quote_shown
from bindery.contract.errors import NotReadyBody
from bindery.contract.quote import QuoteBody
from bindery.contract.quotes import CreateQuotesResponse, QuoteReceipt
from bindery.contract.vocabulary import QuoteStatus
from support.processes import EXAMPLES, PROGRAM, Ended, Running
from support.service import request_body


def quote(demo: Running, body: dict[str, Any], *arguments: str, **variables: Any) -> Ended:
    return demo.program.run("quote", "-", *arguments, stdin=json.dumps(body), **variables)


def wait_for_lines(file: Path, count: int) -> None:
    end = time.monotonic() + 60
    while file.read_text().count("\n") < count:
        assert time.monotonic() < end, file.read_text()
        time.sleep(0.05)


def test_published_options_are_shown_as_a_table(demo: Running) -> None:
    ended = demo.program.run("quote", str(EXAMPLES / "cyb.json"), "--wait")

    lines = ended.good().splitlines()
    assert lines[0].split("  ")[-1].strip() == "VALID UNTIL"
    assert [line.split()[:7] for line in lines[1:6]] == [
        ["1", "$250,000", "$2,500", "$768", "$43.04", "$811.04", "published"],
        ["2", "$500,000", "$2,500", "$1,106", "$53.18", "$1,159.18", "published"],
        ["3", "$1,000,000", "$2,500", "$1,536", "$66.08", "$1,602.08", "published"],
        ["4", "$2,000,000", "$5,000", "$2,101", "$83.03", "$2,184.03", "published"],
        ["5", "$3,000,000", "$10,000", "$2,433", "$92.99", "$2,525.99", "published"],
    ]
    assert "A signed and dated application" in ended.stdout
    identifiers = re.findall(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", ended.stdout)
    assert len(identifiers) == 5
    assert [line.split()[-1] for line in ended.stderr.splitlines()[2:]] == identifiers


def test_without_waiting_the_receipt_is_shown(demo: Running) -> None:
    shown = quote(demo, request_body()).good()
    receipt = quote(demo, request_body(), "--json").json()

    assert shown.startswith("Received for company ")
    assert "$2,000,000 over $5,000" in shown
    assert f"GET {demo.url}/v2/quotes/IDENTIFIER" in shown
    assert [option["requested_aggregate_limit"] for option in receipt["quotes"]] == [1_000_000, 2_000_000]


def test_the_quotes_come_as_json_for_a_script(demo: Running) -> None:
    quotes = quote(demo, request_body(), "--wait", "--json").json()

    assert [(shown["quote_status"], shown["premium"]) for shown in quotes] == [
        ("published", 1536),
        ("published", 2101),
    ]


def test_the_documents_of_every_option_are_saved(demo: Running, tmp_path: Path) -> None:
    folder = tmp_path / "papers"

    ended = quote(demo, request_body(), "--save", str(folder), "--json")

    quotes = ended.json()
    assert [shown["quote_status"] for shown in quotes] == ["published", "published"]
    assert ended.stderr.endswith(f"Saved 12 documents in {folder}.\n")
    for option in quotes:
        terms = f"{option['aggregate_limit']}-over-{option['aggregate_retention']}"
        name = f"CYB-{terms}-{option['quote_identifier']}"
        saved = {path.stem: path.read_bytes() for path in (folder / name).iterdir()}
        assert set(saved) == set(option["available_documents"])
        assert {content[:5] for content in saved.values()} == {b"%PDF-"}


def test_of_a_referral_what_it_has_is_saved(demo: Running, tmp_path: Path) -> None:
    ended = demo.program.run("quote", str(EXAMPLES / "red-flags.json"), "--save", str(tmp_path), "--json")

    assert ended.code == 3
    saved = {path.stem for path in tmp_path.rglob("*.pdf")}
    assert saved == {"application", "recommendations"}


def test_a_referral_is_shown_with_its_reasons_and_ends_with_3(demo: Running) -> None:
    ended = demo.program.run("quote", str(EXAMPLES / "big-limit.json"), "--wait")

    assert ended.code == 3
    rows = ended.stdout.splitlines()
    assert rows[1].split()[6] == "published"
    assert rows[2].split()[1:] == ["$5,000,000", "$10,000", "-", "-", "-", "quote_referred", "-"]
    (reason,) = [row for row in rows if "limit_above_authority" in row]
    assert reason.split()[:2] == ["refer", "limit_above_authority"]
    assert "above the $3,000,000 that is quoted automatically" in reason
    assert reason.split()[-1] == "2"


def test_a_declined_quote_ends_with_3(demo: Running) -> None:
    body = request_body(
        lambda b: (
            b["client"].update(name="Harborlight (decline)", domains=["red-flags.example.com"]),
            b["policy"].update(quotes=[{"aggregate_limit": 1_000_000}]),
        )
    )

    ended = quote(demo, body, "--wait", "--json")

    assert ended.code == 3
    (declined,) = json.loads(ended.stdout)
    assert declined["quote_status"] in {"quote_referred", "quote_declined"}


def test_a_refusal_names_every_problem_with_its_path_and_ends_with_1(demo: Running) -> None:
    body = request_body(
        lambda b: (
            b["client"].update(revenue=0),
            b["client"]["address"].update(zip="none"),
            b["policy"]["quotes"][1].update(aggregate_limit=17),
        )
    )

    ended = quote(demo, body, "--wait")

    assert ended.code == 1
    assert ended.stdout == ""
    lines = ended.stderr.splitlines()
    assert lines[0] == "Refused (400 invalid_request): 3 problems"
    assert sorted(line.split()[0] for line in lines[1:4]) == [
        "client.address.zip",
        "client.revenue",
        "policy.quotes[1].aggregate_limit",
    ]
    assert lines[4].startswith("Request req_")


def test_a_refusal_comes_as_json_for_a_script(demo: Running) -> None:
    ended = demo.program.run("quote", str(EXAMPLES / "broker-of-record.json"), "--json")

    assert ended.code == 1
    refusal = json.loads(ended.stdout)
    assert (refusal["status"], refusal["code"]) == (400, "broker_of_record_block")
    assert refusal["reasons"] == {"domain": "domain_exists", "address": "address_exists"}


def test_what_is_no_json_is_refused_by_the_service(demo: Running) -> None:
    ended = demo.program.run("quote", "-", stdin="{")

    assert ended.code == 1
    assert "(body)" in ended.stderr


def test_the_token_of_the_environment_goes_before_that_of_the_demo(demo: Running) -> None:
    ended = quote(demo, request_body(), BINDERY_TOKEN="of-somebody-else")

    assert ended.code == 1
    assert ended.stderr.startswith("Refused (401 ")


def test_an_option_that_is_not_ready_in_time_ends_with_4(demo: Running) -> None:
    body = request_body(lambda b: b["client"].update(domains=["slow.example.com"]))

    ended = quote(demo, body, "--wait", "--timeout", "1")

    assert ended.code == 4
    assert ended.stdout.splitlines()[1].split()[1:] == ["$1,000,000", "-", "-", "-", "-", "aq_created", "-"]


def test_of_an_option_that_is_not_ready_nothing_is_saved(demo: Running, tmp_path: Path) -> None:
    body = request_body(lambda b: b["client"].update(domains=["slow.example.com"]))
    folder = tmp_path / "papers"

    ended = quote(demo, body, "--save", str(folder), "--timeout", "1")

    assert ended.code == 4
    assert ended.stderr.endswith(f"Saved 0 documents in {folder}.\n")
    assert not folder.exists()


def test_what_is_quoted_per_claim_says_so_and_what_is_not_as_asked(demo: Running) -> None:
    body = json.loads((EXAMPLES / "mpl.json").read_text())
    body["client"]["revenue"] = 9_000_000
    body["policy"]["quotes"] = [
        {"aggregate_limit": 1_000_000, "per_claim_retention": 25_000},
        {"aggregate_limit": 1_000_000, "per_claim_limit": 500_000, "per_claim_retention": 1_000},
    ]

    lines = quote(demo, body, "--wait").good().splitlines()

    assert re.match(r"1 +\$1,000,000 +\$25,000 a claim +\$", lines[1])
    assert re.match(r"2 +\$500,000 a claim, \$1,000,000 +\$2,500 a claim +\$", lines[2])
    lowest = "$2,500 is the lowest retention for a revenue of $9,000,000; $1,000 was asked for"
    (corrected,) = [line for line in lines if lowest in line]
    assert re.fullmatch(rf" +now +{re.escape(lowest)} +2 *", corrected)


def test_an_interrupted_wait_leaves_the_identifiers_and_the_way_on(demo: Running, tmp_path: Path) -> None:
    slow = tmp_path / "slow.json"
    slow.write_text(json.dumps(request_body(lambda b: b["client"].update(domains=["slow.example.com"]))))
    complaints = tmp_path / "stderr"
    with complaints.open("w") as stderr:
        waiting = subprocess.Popen(
            [PROGRAM, "quote", str(slow), "--wait"],
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            cwd=demo.program.folder,
            env=demo.program.environment(),
        )
    wait_for_lines(complaints, 4)

    waiting.send_signal(signal.SIGINT)
    stdout, _ = waiting.communicate(timeout=60)

    lines = complaints.read_text().splitlines()
    first = lines[2].split()[-1]
    assert waiting.returncode == 130
    assert stdout == ""
    assert lines[0].startswith("Received for company ")
    assert lines[-1] == f"GET {demo.url}/v2/quotes/{first}"


@pytest.mark.parametrize("width", [80, 120])
def test_a_status_is_shown_whole_whatever_the_width(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], width: int
) -> None:
    wide = Console(width=width, force_terminal=False)
    monkeypatch.setattr(common, "console", wide)
    receipt = CreateQuotesResponse(
        company_id="123456789",
        quotes=[QuoteReceipt(quote_identifier="one", requested_aggregate_limit=10_000_000)],
    )
    waiting = NotReadyBody(
        error="", quote_identifier="one", quote_status=QuoteStatus.BROKER_CONFLICT_REFERRAL
    )

    quote_shown.show_options(receipt, [waiting])

    assert "broker_conflict_referral" in capsys.readouterr().out


def test_a_narrow_terminal_shows_the_last_day_below_the_table(
    demo: Running, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(common, "console", Console(width=80, force_terminal=False))
    monkeypatch.setattr(common, "complaints", Console(width=80, force_terminal=True))
    big = json.loads((EXAMPLES / "big-limit.json").read_text())
    offered, referred = msgspec.convert(
        json.loads(quote(demo, big, "--wait", "--json").stdout), list[QuoteBody], strict=False
    )
    receipt = CreateQuotesResponse(
        company_id="123456789",
        quotes=[
            QuoteReceipt(quote_identifier=option.quote_identifier, requested_aggregate_limit=5_000_000)
            for option in (offered, referred)
        ],
    )

    quote_shown.show_options(receipt, [offered, referred])

    said = capsys.readouterr().out
    last_day = offered.quote_expiration_date
    assert f"Valid until {last_day} (1); totals include taxes and fees.\n" in said
    assert "VALID UNTIL" not in said
    # Identifiers stand above the table on a terminal.
    assert offered.quote_identifier not in said


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/v2"])
def test_nobody_at_the_address_is_one_sentence(demo: Running, address: str) -> None:
    ended = quote(demo, request_body(), "--url", address)

    assert ended.complaint.startswith(f"There is no answer from {address}: ")
    assert ended.complaint.endswith("Is the service running? `make demo` starts the demo.")


def test_an_address_that_cannot_be_one_is_refused_in_a_sentence(demo: Running) -> None:
    ended = quote(demo, request_body(), "--url", "nonsense")

    assert ended.complaint == (
        "The address of the service must begin with http:// or https://: 'nonsense' does not."
    )


def test_without_a_token_the_command_says_where_one_comes_from(demo: Running) -> None:
    ended = quote(demo, request_body(), "--data", str(demo.program.folder / "elsewhere"))

    assert ended.complaint == (
        "There is no token: set BINDERY_TOKEN or pass --token (`bindery token issue` creates one)."
    )
