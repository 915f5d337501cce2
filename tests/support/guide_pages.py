"""The guide's examples as tests look at them, whatever their language."""

import re
from collections.abc import Sequence

from tools.guide_programs import LANGUAGES, Example, examples

from bindery.api.guide.pages import GuidePage

WORD = r"[a-z]+_[a-z_]+|matched|published"
"""A value that means something, as `quote_referred`: it is said by the service as the guide shows it."""

DELIVERED = """
import base64, hashlib, hmac, time

sent = b'{"type": "webhook.ping", "timestamp": "2026-08-15T14:30:00Z", "data": {"webhook_id": "x"}}'
at = str(int(time.time()))
key = base64.b64decode(secret.removeprefix("whsec_"))
signed = hmac.new(key, b"an-id." + at.encode() + b"." + sent, hashlib.sha256).digest()
signature = "v1," + base64.b64encode(signed).decode()
named = {"webhook-id": "an-id", "webhook-timestamp": at, "webhook-signature": signature}
print("received", receive(named, sent), receive(named, sent + b" "))
"""
"""Hands a genuine and a forged delivery to the receiver that the page on webhooks shows."""

DELIVERED_IN_TYPESCRIPT = """
import { createHmac } from "node:crypto";

const sent = '{"type": "webhook.ping", "timestamp": "2026-08-15T14:30:00Z", "data": {"webhook_id": "x"}}';
const at = String(Math.floor(Date.now() / 1000));
const hmac = createHmac("sha256", Buffer.from(secret.replace("whsec_", ""), "base64"));
const signature = `v1,${hmac.update(`an-id.${at}.${sent}`).digest("base64")}`;
const named = new Headers({ "webhook-id": "an-id", "webhook-timestamp": at, "webhook-signature": signature });
const bytes = (text: string) => new TextEncoder().encode(text);
console.log("received", await receive(named, bytes(sent)), await receive(named, bytes(`${sent} `)));
"""


def unsaid(page: GuidePage, language: str, printed: Sequence[str]) -> list[str]:
    """Return the words of the answers shown on a page that its examples in a language did not print."""
    outputs = iter(printed)
    output = ""
    missing = []
    for example in examples(page):
        if example.language == language:
            output = next(outputs)
        elif example.language == "json":
            shown = re.findall(rf'"({WORD})"(?!:)', example.code)
            missing += [word for word in shown if word not in output]
    return missing


def lonely_requests(page: GuidePage) -> list[str]:
    """Return the requests that a page shows for a shell and not in the other languages."""
    shown: list[Example] = examples(page)
    return [
        example.code
        for place, example in enumerate(shown)
        if example.language == "bash"
        and "curl " in example.code
        and [beside.language for beside in shown[place : place + len(LANGUAGES)]] != list(LANGUAGES)
    ]
