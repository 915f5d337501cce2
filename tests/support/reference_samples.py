"""The examples of the reference as programs: every tab of every operation, with real values in it."""

import copy
import html
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from textwrap import indent
from typing import Any

import httpx
from tools.guide_programs import BETWEEN, LANGUAGES, run_program

from bindery.api.docs_requests import CONNECT
from bindery.client import Bindery
from bindery.contract.examples import CREATE_QUOTES_EXAMPLE, EXAMPLE_ENDPOINT
from bindery.contract.fields import EXAMPLE_QUOTE
from bindery.contract.quote import QuoteBody
from support.processes import Running

Samples = Mapping[str, Mapping[str, str]]
"""What the reference shows, by operation and language."""

LAST = "move_clock"
"""After it nothing is in date that was made before."""
BEGINS_WITH = {
    "download_document": "%PDF-",
    "signed_application": "%PDF-",
    "docs": "<!DOCTYPE html>",
    "livez": "ok",
    "metrics": "# HELP ",
    "readyz": "ready",
}
"""Answers that are not JSON."""
ENDS_WELL: dict[str, tuple[Any, ...]] = {
    "get_quote": ("quote_status", "published"),
    "validate_quotes": ("valid", True),
    "get_questions": ("product", "CYB"),
    "get_product": ("insurance_product", "CYB"),
    "bind_quote": ("quotes", 0, "outcome", "conditional_binder"),
    "withdraw_quote": ("quote_status", "quote_revoked"),
    "request_signature": ("status", "sent"),
    "get_signature_request": ("status", "sent"),
    "revoke_signature_request": ("status", "revoked"),
    "request_cancellation": ("quote_status", "policy_active"),
    "ask_for_change": ("status", "quoted"),
    "accept_change": ("status", "issued"),
    "withdraw_change": ("status", "withdrawn"),
    "upload_document": ("finding", "matched"),
    "review_quote": ("quote_status", "published"),
    "health_check": ("healthy", True),
}
"""Where to look in an answer, and what is there."""


@dataclass(frozen=True)
class Given:
    """What only the caller of an operation knows."""

    identifier: str
    contingency_id: str
    company_id: str
    webhook_id: str
    signature_request_id: str
    change_id: str


@dataclass(frozen=True)
class Flow:
    """A partner who has quotes, a policy, a referral and webhooks: for each operation one that it fits."""

    usual: Given
    special: Mapping[str, Given]
    application: bytes
    day: date
    """A day from which a quote can be bound and a policy canceled."""

    def given(self, operation: str) -> Given:
        return self.special.get(operation, self.usual)


def played(demo: Running) -> Flow:
    """Bring about everything that the operations are about."""
    with Bindery(demo.token, demo.url) as bindery:
        ending = bindery.quote(CREATE_QUOTES_EXAMPLE)[0]
        bindery.upload_signed(ending, bindery.signed_application(ending))
        bindery.bind(ending, attested=True)
        bindery.pause_renewal(ending)
        # Its renewal can be asked for by then.
        bindery.move_clock(300)
        shown, withdrawn = bindery.quote(CREATE_QUOTES_EXAMPLE)
        bound = bindery.quote(CREATE_QUOTES_EXAMPLE)[0]
        policy, asking, changing, unchanged = (issued(bindery) for _ in range(4))
        change, withdrawable = (
            bindery.ask_for_change(quote, higher_limit(quote)).change_id for quote in (changing, unchanged)
        )
        flagged = copy.deepcopy(CREATE_QUOTES_EXAMPLE)
        flagged["client"]["domains"] = ["red-flags.example.com"]
        referred = bindery.quote(flagged)[0]
        kept, removed = (bindery.register_webhook(f"{EXAMPLE_ENDPOINT}/{name}").id for name in "ab")
        application = bindery.download("application", shown)
        to_sign = bindery.request_signature(shown, email="first@example.com").signature_request_id

    def about(quote: QuoteBody, webhook: str = kept, change: str = change) -> Given:
        contingency = quote.contingencies[0].contingency_id if quote.contingencies else ""
        return Given(quote.quote_identifier, contingency, quote.company_id, webhook, to_sign, change)

    of_policy = ("download_document", "packet_metadata", "pause_renewal", "resume_renewal")
    special = {operation: about(policy) for operation in (*of_policy, "request_cancellation")}
    special |= {
        "bind_quote": about(bound),
        "withdraw_quote": about(withdrawn),
        "request_renewal": about(ending),
        "review_quote": about(referred),
        "remove_webhook": about(shown, removed),
        "ask_for_change": about(asking),
        "withdraw_change": about(unchanged, change=withdrawable),
    }
    special |= {operation: about(changing) for operation in ("list_changes", "get_change", "accept_change")}
    return Flow(about(shown), special, application, bound.dates.effective)


def issued(bindery: Bindery) -> QuoteBody:
    """Return a quote that became a policy."""
    quote = bindery.quote(CREATE_QUOTES_EXAMPLE)[0]
    bindery.upload_signed(quote, bindery.signed_application(quote))
    bindery.bind(quote, attested=True)
    return quote


def higher_limit(quote: QuoteBody) -> dict[str, Any]:
    return {
        "effective": str(quote.dates.effective),
        "changes": {"aggregate_limit": 2_000_000},
        "reason": "A customer asks for a higher limit.",
    }


def shown_samples(demo: Running) -> Samples:
    """Read what the reference shows, from the pages that are served."""
    with httpx.Client(base_url=demo.url, timeout=60) as reader:
        contents = reader.get("/docs/reference").raise_for_status().text
        operations = dict.fromkeys(re.findall(r'href="/docs/reference/(\w+)"', contents))
        articles = {
            name: reader.get(f"/docs/reference/{name}").raise_for_status().text for name in operations
        }
    samples = {}
    for operation, article in articles.items():
        tab = r'<section class="tab" data-language="(\w+)">.*?<code>(.*?)</code>'
        tabs = dict(re.findall(tab, article, re.DOTALL))
        # What no client has is shown for a shell alone.
        alone = re.search(
            r'<h2>Example</h2>\s*<div class="code">.*?<code>(curl .*?)</code>', article, re.DOTALL
        )
        if not tabs and alone:
            tabs = {"bash": alone[1]}
        samples[operation] = {language: html.unescape(code) for language, code in tabs.items()}
    return {operation: tabs for operation, tabs in samples.items() if tabs}


def write_samples(language: str, samples: Samples, flow: Flow, server: str, folder: Path) -> Path:
    """Write a program that sends every operation once, as the reference shows it, and prints each answer."""
    shown = {
        operation: _filled(tabs[language], flow, flow.given(operation).identifier)
        for operation, tabs in samples.items()
        if language in tabs
    }
    in_order = {name: shown[name] for name in sorted(shown, key=lambda name: name == LAST)}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "application.pdf").write_bytes(flow.application)
    (folder / "given.json").write_text(json.dumps({name: asdict(flow.given(name)) for name in in_order}))
    writer = {"bash": _in_bash, "python": _in_python, "typescript": _in_typescript}[language]
    file = folder / LANGUAGES[language].file
    file.write_text(writer(in_order, flow, server), "utf-8")
    return file


def answers_to_samples(language: str, file: Path, demo: Running, **variables: str) -> dict[str, str]:
    """Run a program of samples, and return what each printed."""
    printed = run_program(language, file, {"BINDERY_TOKEN": demo.token, **variables})
    parted = (part.partition(" ") for part in printed.split(BETWEEN)[1:])
    return {name: answer for name, _, answer in parted}


def samples_gone_wrong(answers: Mapping[str, str]) -> list[str]:
    """Return the operations whose answer is not what it should be."""
    return [f"{name}: {answer[:500]}" for name, answer in answers.items() if not _is_well(name, answer)]


def _is_well(operation: str, answer: str) -> bool:
    if operation in BEGINS_WITH:
        return answer.startswith(BEGINS_WITH[operation])
    said: Any = json.loads(answer)
    *way, expected = ENDS_WELL.get(operation, (said,))
    for step in way:
        said = said[step]
    return bool(said) and said == expected


def _filled(code: str, flow: Flow, identifier: str) -> str:
    """Put real values where a sample shows invented ones."""
    day = flow.day
    code = code.replace(EXAMPLE_QUOTE, identifier)
    code = re.sub(r'"\d{4}-\d\d-\d\d"', f'"{day}"', code)
    return re.sub(r"\bdate\(\d+, \d+, \d+\)", f"date({day.year}, {day.month}, {day.day})", code)


def _in_bash(shown: Mapping[str, str], flow: Flow, server: str) -> str:
    """Each in a folder of its own, with the variables that it names; the page has the server's address."""
    assert all(server in code for code in shown.values())
    lines = ['curl() { command curl --silent --show-error --fail-with-body "$@"; }']
    for name, code in shown.items():
        given = flow.given(name)
        named = given.webhook_id if "/webhooks/" in code else given.identifier
        lines += [
            f"mkdir {name}; cd {name}; cp ../application.pdf document.pdf",
            f"IDENTIFIER={named} QUOTE_IDENTIFIER={given.identifier} COMPANY_ID={given.company_id}",
            f"SIGNATURE_REQUEST_ID={given.signature_request_id} CHANGE={given.change_id}",
            f"CONTINGENCY={given.contingency_id} NAME=application.pdf PRODUCT=CYB Q=bakery",
            f"( {code}\n) > answer || {{ cat answer >&2; exit 1; }}",
            f"printf '{BETWEEN}{name} '",
            "if [ -s answer ]; then cat answer; else head -c 5 document.pdf; fi; cd ..",
        ]
    return "\n".join(lines)


def _in_python(shown: Mapping[str, str], _: Flow, server: str) -> str:
    takes = (
        "identifier: str, contingency_id: str, company_id: str, webhook_id: str, "
        "signature_request_id: str, change_id: str"
    )
    functions = "".join(
        f"def {name}({takes}) -> object:\n{indent(code, '    ')}\n    return answer\n\n\n"
        for name, code in shown.items()
    )
    return f"""\
import json
from collections.abc import Callable
from pathlib import Path

import msgspec

{CONNECT["python"].format(server=server)}
content = Path("application.pdf").read_bytes()


{functions}
samples: dict[str, Callable[..., object]] = {{{", ".join(f'"{name}": {name}' for name in shown)}}}
given = json.loads(Path("given.json").read_text())
for name, sample in samples.items():
    said = sample(**given[name])
    text = said[:5].decode() if isinstance(said, bytes) else msgspec.json.encode(said).decode()
    print({BETWEEN!r} + name, text, end="")
"""


def _in_typescript(shown: Mapping[str, str], _: Flow, server: str) -> str:
    takes = (
        "{ identifier, contingency_id: contingencyId, company_id: companyId, webhook_id: webhookId, "
        "signature_request_id: signatureRequestId, change_id: changeId }: Given"
    )
    functions = "".join(
        f"  async {name}({takes}) {{\n{indent(code, '    ')}\n    return answer;\n  }},\n"
        for name, code in shown.items()
    )
    return f"""\
import {{ readFile }} from "node:fs/promises";
{CONNECT["typescript"].format(server=server)}

interface Given {{
  identifier: string;
  contingency_id: string;
  company_id: string;
  webhook_id: string;
  signature_request_id: string;
  change_id: string;
}}
const content = new Uint8Array(await readFile("application.pdf"));
const samples = {{
{functions}}};
const given = JSON.parse(await readFile("given.json", "utf8")) as Record<string, Given>;
for (const [name, sample] of Object.entries(samples)) {{
  const said: unknown = await sample(given[name]!);
  const text = said instanceof Uint8Array ? new TextDecoder().decode(said.slice(0, 5)) : JSON.stringify(said);
  process.stdout.write(`\\x1e${{name}} ${{text}}`);
}}
"""
