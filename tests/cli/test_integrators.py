"""The commands for integrators, from a request file to the papers of a policy, against a demo."""

import json
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest

from bindery.cli.demo import PARTNER as DEMO_PARTNER
from support.processes import EXAMPLES, Ended, Program, Running
from support.service import request_body

NOBODY = "http://127.0.0.1:9/v2"
UNKNOWN = "01a1de7b-467b-75ad-a8d0-c6d731d7fb9f"


def submitted(demo: Running, body: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """Submit a request and return its options, ready."""
    ended = demo.program.run("quote", "-", "--wait", "--json", stdin=json.dumps(body or request_body()))
    quotes: list[dict[str, Any]] = json.loads(ended.stdout)
    return quotes


def refusal(ended: Ended) -> str:
    """Return the first line of what the service refused."""
    assert ended.code == 1, (ended.code, ended.stdout, ended.stderr)
    assert ended.stdout == ""
    return ended.stderr.splitlines()[0]


def test_a_request_goes_from_the_file_to_the_papers_of_a_policy(demo: Running, tmp_path: Path) -> None:
    program = demo.program
    body = request_body(lambda b: b["client"].update(name="Paper Lantern [red] Bakery"))
    chosen, other = submitted(demo, body)
    quote = chosen["quote_identifier"]

    shown = program.run("get", quote).good()
    listed = program.run("documents", "list", quote).good()
    forms = program.run("documents", "list", quote, "--forms", "quote", "--json").json()
    saved = program.run("documents", "get", quote, "application", "--to", str(tmp_path)).good()
    application = tmp_path / "application.pdf"
    unsigned = program.run("upload", quote, str(application), "--json")
    program.run("documents", "get", quote, "--signed", "--to", str(tmp_path)).good()
    signed = tmp_path / "signed_application.pdf"
    uploaded = program.run("upload", quote, str(signed)).good()
    of_another_option = program.run("upload", other["quote_identifier"], str(signed), "--json").json()
    bound = program.run("bind", quote, "--attest").good()
    policy = program.run("get", quote, "--json").json()
    policies = program.run("list", "policies", "--search", "Lantern", "--json").json()
    happened = program.run("events", "--quote", quote, "--json").json()
    papers = program.run("documents", "get", quote, "policy", "--to", str(tmp_path), "--json").json()

    assert shown.splitlines()[0] == "Paper Lantern [red] Bakery  CYB  published"
    assert "$1,602.08, including $66.08 of taxes and fees" in shown
    assert "A signed and dated application" in shown
    assert "quote_letter" in listed
    assert "the offer, with terms and price" in listed
    assert forms[0]["form_number"]
    assert saved.splitlines()[0].startswith(f"{application}  ")
    assert application.read_bytes().startswith(b"%PDF-")
    assert uploaded.startswith("Taken: matched\n")
    assert (unsigned.code, json.loads(unsigned.stdout)["signature"]) == (3, "not_found")
    assert (of_another_option["finding"], of_another_option["signature"]) == ("matched", "found")
    assert bound.startswith("The policy is issued.\n")
    assert policy["policy_number"] in bound
    assert policy["quote_status"] == "policy_active"
    assert [row["policy_number"] for row in policies] == [policy["policy_number"]]
    assert {event["type"] for event in happened["events"]} >= {"quote.published", "policy.issued"}
    assert papers[0]["document"] == "policy"
    assert (tmp_path / "policy.pdf").stat().st_size == papers[0]["size"]


def test_an_application_is_uploaded_by_the_bind_itself(demo: Running, tmp_path: Path) -> None:
    quote = submitted(demo)[0]["quote_identifier"]
    demo.program.run("documents", "get", quote, "--signed", "--to", str(tmp_path)).good()

    bound = demo.program.run(
        "bind", quote, "--signed", str(tmp_path / "signed_application.pdf"), "--attest", "--json"
    ).json()

    assert bound["outcome"] == "policy_issued"


def test_a_bind_without_a_signature_is_a_conditional_binder(demo: Running) -> None:
    first, second = submitted(demo)

    bound = demo.program.run("bind", first["quote_identifier"], "--effective", first["dates"]["effective"])
    shown = demo.program.run("get", first["quote_identifier"]).good()
    again = demo.program.run("bind", second["quote_identifier"])

    assert bound.good().startswith("A binder: there is cover")
    assert re.search(r"^  Binder +due \d{4}-\d\d-\d\d", shown, re.MULTILINE)
    assert refusal(again).startswith("Refused (400 ")


def test_a_bind_that_an_underwriter_decides_ends_with_3(demo: Running) -> None:
    body = request_body(lambda b: b["client"].update(name="Copper Otter (prebind)"))
    quote = submitted(demo, body)[0]["quote_identifier"]

    bound = demo.program.run("bind", quote)

    assert bound.code == 3
    assert bound.stdout.startswith("The bind is requested: an underwriter decides.\n")


def test_a_referred_quote_is_shown_with_its_reasons(demo: Running) -> None:
    body = request_body(lambda b: b["client"].update(domains=["red-flags.example.com"]))
    quote = submitted(demo, body)[0]["quote_identifier"]

    shown = demo.program.run("get", quote).good()

    assert "Why it was referred to an underwriter" in shown
    assert "none yet: an underwriter decides" in shown


def test_a_declined_quote_is_shown_with_the_decision_and_nothing_more_to_do(demo: Running) -> None:
    told = demo.program.run("trigger", "quote.declined", "--json").json()
    quote = told["data"]["quote_identifier"]

    shown = demo.program.run("get", quote).good()

    decided = told["timestamp"][:10]
    assert shown.splitlines()[0].endswith("  CYB  quote_declined")
    assert f"  Decision   declined on {decided}: Triggered from the command line.\n" in shown
    assert "Price" not in shown
    assert "You can:" not in shown


def test_a_policy_that_is_asked_to_be_canceled_is_shown_with_from_when_and_why(demo: Running) -> None:
    told = demo.program.run("trigger", "policy.cancellation_requested", "--json").json()
    quote = told["data"]["quote_identifier"]

    shown = demo.program.run("get", quote).good()
    asked = demo.program.run("get", quote, "--json").json()["cancellation_request"]

    said = f"from {asked['effective']}, open: insured_request, Triggered from the command line."
    assert f"Asked to cancel {said}" in " ".join(shown.split())


def test_a_file_for_a_quote_that_asks_for_no_signature_is_for_no_contingency(
    demo: Running, tmp_path: Path
) -> None:
    quote = submitted(demo)[0]["quote_identifier"]
    application = tmp_path / "signed_application.pdf"
    demo.program.run("documents", "get", quote, "--signed", "--to", str(tmp_path)).good()
    demo.program.run("bind", quote, "--signed", str(application), "--attest").good()

    uploaded = demo.program.run("upload", quote, str(application), "--name", "again.pdf").good()

    assert uploaded.startswith("Taken: not_compared\n")
    assert "Signature not looked for Pages not known Name again.pdf, application/pdf, " in " ".join(
        uploaded.split()
    )


def test_a_quote_that_is_worked_on_ends_with_4(demo: Running) -> None:
    body = request_body(lambda b: b["client"].update(domains=["slow.example.com"]))
    receipt = demo.program.run("quote", "-", "--json", stdin=json.dumps(body)).json()
    quote = receipt["quotes"][0]["quote_identifier"]

    looked = demo.program.run("get", quote)
    waited = demo.program.run("get", quote, "--wait", "--timeout", "1")

    assert (looked.code, waited.code) == (4, 4)
    # Whoever looks at once may be there before the worker.
    still = rf"Quote {quote} is still (aq_)?created"
    assert re.fullmatch(rf"{still}; use --wait to wait for it\.\n", looked.stdout)
    assert re.fullmatch(rf"{still}; ask again later\.\n", waited.stderr)


def test_lists_are_filtered_and_cut_to_their_rows(demo: Running) -> None:
    program = demo.program
    body = request_body(
        lambda b: b["client"].update(name="Velvet Heron Travel", metadata={"crm": "V-7"}, revenue=900_000)
    )
    submitted(demo, body)

    first = program.run("list", "--search", "velvet heron", "--limit", "1").good()
    by_metadata = program.run("list", "quotes", "--metadata", "crm=V-7", "--json").json()
    company = by_metadata[0]["company_id"]
    of_company = program.run("list", "--company", company, "--status", "published", "--json").json()
    companies = program.run("list", "companies", "--search", "velvet").good()
    nothing = program.run("list", "policies", "--search", "velvet heron").good()

    assert re.match(r"QUOTE +NAME +PRODUCT +LIMIT +TOTAL +STATUS +CREATED", first)
    assert first.splitlines()[-1] == "1 quote; there are more: raise --limit to see them."
    assert [row["aggregate_limit"] for row in by_metadata] == [1_000_000, 2_000_000]
    assert [row["quote_identifier"] for row in of_company] == [row["quote_identifier"] for row in by_metadata]
    assert "Velvet Heron Travel" in companies
    assert companies.splitlines()[-1] == "1 company."
    assert nothing == "0 policies.\n"


def test_a_request_is_checked_before_it_is_sent(demo: Running) -> None:
    good = demo.program.run("validate", str(EXAMPLES / "cyb.json"))
    odd = demo.program.run("validate", str(EXAMPLES / "big-limit.json"))
    body = request_body(lambda b: (b["client"].update(revenue=0), b["questions"].pop()))
    bad = demo.program.run("validate", "-", stdin=json.dumps(body))
    bad_for_a_script = demo.program.run("validate", "-", "--json", stdin=json.dumps(body))

    assert good.good() == "Valid: the service would take it.\n"
    assert "limit_above_authority" in odd.good()
    assert bad.code == 1
    assert bad.stdout.startswith("Not valid: ")
    assert "client.revenue" in bad.stdout
    assert "Answers that are missing: Q2147." in bad.stdout
    assert bad_for_a_script.code == 1
    assert json.loads(bad_for_a_script.stdout)["missing"] == ["Q2147"]


def test_of_very_many_problems_a_hundred_are_listed(demo: Running) -> None:
    strangers = {f"unknown_{number}": 1 for number in range(130)}
    body = request_body(
        lambda b: b["client"].update(insured_main_contact={"email": "a@b.example", **strangers})
    )

    ended = demo.program.run("validate", "-", stdin=json.dumps(body))

    lines = ended.stdout.splitlines()
    assert (ended.code, lines[0]) == (1, "Not valid: 130 problems.")
    assert lines[-1] == "  … and 30 more."
    assert len(lines) == 102


def test_questions_are_shown_with_what_is_missing(demo: Running) -> None:
    every = demo.program.run("questions", "CYB").good()
    missing = demo.program.run(
        "questions", "CYB", "--revenue", "2500000", "--answer", "Q2134=true", "--missing", "--json"
    ).json()
    wrong = demo.program.run("questions", "CYB", "--answer", "Q2134=perhaps")

    assert re.search(r"Q2134 +boolean +always", every)
    assert re.search(r"CYB edition 2026\.1: \d+ questions\.\n$", every)
    assert [question["id"] for question in missing["questions"]] == missing["missing"]
    assert "Q2134" not in missing["missing"]
    assert refusal(wrong) == "Refused (400 invalid_request): 1 problem"
    assert "answer.Q2134" in wrong.stderr


def test_the_feed_is_read_on_from_its_cursor_and_followed(demo: Running) -> None:
    program = demo.program
    before = program.run("events", "--limit", "1000000", "--json").json()["next_cursor"]
    submitted(demo)

    first = program.run(
        "events", "--after", before, "--type", "quote.published", "--limit", "1", "--json"
    ).json()
    shown = program.run("events", "--after", before, "--level", "quote").good()
    with program.start(
        "events", "--after", first["next_cursor"], "--follow", "--json", stdout=subprocess.PIPE
    ) as on:
        second = json.loads(on.read_until('"quote.published"').splitlines()[-1])
        followed_to_its_end = on.stop(signal.SIGINT)

    assert [event["type"] for event in first["events"]] == ["quote.published"]
    assert re.match(r"TIME +TYPE +QUOTE +SAYS", shown)
    assert "premium 1536, quote_expiration_date " in shown
    assert second["data"]["quote_identifier"] != first["events"][0]["data"]["quote_identifier"]
    assert followed_to_its_end == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["get", UNKNOWN],
        ["bind", UNKNOWN],
        ["upload", UNKNOWN, "paper.pdf"],
        ["documents", "list", UNKNOWN],
        ["documents", "get", UNKNOWN],
        ["events", "--quote", UNKNOWN],
    ],
    ids=lambda arguments: " ".join(arguments[:2]),
)
def test_a_quote_that_there_is_not_is_refused(demo: Running, arguments: list[str]) -> None:
    (demo.program.folder / "paper.pdf").write_bytes(b"%PDF-1.7")

    shown = demo.program.run(*arguments)
    for_a_script = demo.program.run(*arguments, "--json")

    assert refusal(shown).startswith("Refused (404 not_found): ")
    assert (for_a_script.code, json.loads(for_a_script.stdout)["status"]) == (1, 404)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["list", "--broker", "x" * 400], "broker_email"),
        (["events", "--type", "quote.printed"], "type"),
        (["events", "--after", "somewhere"], "after"),
    ],
    ids=lambda words: " ".join(words[:2])[:30] if isinstance(words, list) else words,
)
def test_what_the_service_refuses_names_its_field(demo: Running, arguments: list[str], problem: str) -> None:
    ended = demo.program.run(*arguments)

    assert refusal(ended).startswith("Refused (400 ")
    assert problem in ended.stderr


def test_a_refusal_names_the_field_that_was_meant(demo: Running) -> None:
    def misspelled(body: dict[str, Any]) -> None:
        body["client"]["revenu"] = body["client"].pop("revenue")

    body = json.dumps(request_body(misspelled))

    sent = demo.program.run("quote", "-", stdin=body)
    checked = demo.program.run("validate", "-", stdin=body)

    assert refusal(sent).startswith("Refused (400 invalid_request): ")
    for said in (sent.stderr, checked.stdout):
        assert "client.revenue" in said
        assert "is required" in said
        assert "client.revenu" in said
        assert "did you mean revenue?" in said


def test_an_expired_token_is_refused_as_one(demo: Running) -> None:
    expired = demo.program.run("token", "issue", "--partner", DEMO_PARTNER, "--days", "0").good().strip()

    ended = demo.program.run("list", "--token", expired)
    answer = httpx.get(f"{demo.url}/v2/quotes", headers={"Authorization": f"Bearer {expired}"}, timeout=60)

    assert refusal(ended) == "Refused (401 expired_token): The bearer token has expired."
    assert (answer.status_code, answer.json()["code"]) == (401, "expired_token")
    assert answer.headers["www-authenticate"].startswith('Bearer error="invalid_token"')


COMMANDS = [
    ["validate", "-"],
    ["get", UNKNOWN],
    ["list"],
    ["bind", UNKNOWN],
    ["upload", UNKNOWN, "paper.pdf"],
    ["documents", "list", UNKNOWN],
    ["documents", "get", UNKNOWN],
    ["events"],
    ["questions", "CYB"],
    ["trigger", "quote.published"],
    ["clock", "show", "--url", NOBODY],
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: " ".join(arguments[:2]))
def test_every_command_wants_a_token(bare: Program, arguments: list[str]) -> None:
    (bare.folder / "paper.pdf").write_bytes(b"%PDF-1.7")

    ended = bare.run(*arguments, stdin="{}")

    assert ended.complaint.startswith("There is no token: set BINDERY_TOKEN or pass --token")


def test_nobody_at_the_address_is_one_sentence(bare: Program) -> None:
    ended = bare.run("list", "--url", NOBODY, "--token", "of-nobody")

    assert ended.complaint.startswith(f"There is no answer from {NOBODY}: ")


def test_a_variable_says_which_service_as_the_guide_has_it(bare: Program, demo: Running) -> None:
    """The variables of the quickstart are all that is needed, and the address has no /v2 there."""
    bare.variables |= {"BINDERY_URL": demo.url, "BINDERY_TOKEN": demo.token}

    listed = bare.run("list", "companies", "--json")
    shown = bare.run("clock", "show", "--json")

    assert isinstance(listed.json(), list)
    assert "days_ahead" in shown.json()
    assert bare.run("list", "--url", f"{demo.url}/v2/").code == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["validate", "nowhere.json"], "nowhere.json cannot be read: No such file or directory."),
        (["upload", UNKNOWN, "nowhere.pdf"], "nowhere.pdf cannot be read: No such file or directory."),
        (["bind", UNKNOWN, "--signed", "no.pdf"], "no.pdf cannot be read: No such file or directory."),
        (["bind", UNKNOWN, "--effective", "soon"], "Invalid value for '--effective': "),
        (["list", "brokers"], "Invalid value for '[quotes|policies|companies]': 'brokers' is not"),
        (["list", "--status", "done"], "Invalid value for '--status': 'done' is not one of"),
        (["list", "--metadata", "crm"], "--metadata takes KEY=VALUE, not 'crm'."),
        (
            ["list", "companies", "--company", "123456789"],
            "--company goes with quotes and policies; `bindery list --company 123456789` lists its quotes.",
        ),
        (["questions", "DNO"], "Invalid value for 'CYB|TEO|MPL': 'DNO' is not one of"),
        (["questions", "CYB", "--answer", "Q2134"], "--answer takes ID=VALUE, not 'Q2134'."),
        (["questions", "CYB", "--missing"], "--missing needs --revenue or --answer"),
        (["documents", "get", UNKNOWN, "letter"], "Invalid value for '[DOCUMENT]…': 'letter' is not one of"),
        (["trigger"], "Which event? `bindery trigger --list` lists them."),
        (["trigger", "quote.publish"], "There is no event 'quote.publish'. Did you mean quote.published? "),
    ],
    ids=lambda words: " ".join(words[:3]) if isinstance(words, list) else "",
)
def test_wrong_use_is_one_sentence(bare: Program, arguments: list[str], sentence: str) -> None:
    assert bare.run(*arguments, BINDERY_TOKEN="of-nobody").complaint.startswith(sentence)


@pytest.mark.parametrize(
    "command",
    [
        "quote", "validate", "questions", "get", "list", "upload", "bind", "documents list", "documents get",
        "events", "listen", "trigger", "clock show", "clock advance", "clock reset", "demo",
    ],
)  # fmt: skip
def test_every_command_for_integrators_shows_an_example(bare: Program, command: str) -> None:
    shown = bare.run(*command.split(), "--help").good()

    assert f"Example: bindery {command}" in shown
    # Whose rows are wider than a terminal when they are piped.
    assert ("less -S" in shown) == (command == "list")
