"""Plays the steps of story.json with bindery-client, and prints what each gave."""

import copy
import json
import os
import sys
import threading
import uuid
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

from bindery_client import ApiError, Bindery, NotReady, SignatureError, verify_delivery
from bindery_client.contract.examples import CREATE_QUOTES_EXAMPLE
from bindery_client.contract.quote import QuoteBody

Gave = dict[str, Any]
URL = os.environ["BINDERY_URL"]
TOKEN = os.environ["BINDERY_TOKEN"]
REQUEST = CREATE_QUOTES_EXAMPLE


def changed(**client: Any) -> Gave:
    request = copy.deepcopy(REQUEST)
    request["client"].update(client)
    return request


def refusal(call: Callable[[], object]) -> ApiError:
    try:
        call()
    except ApiError as fault:
        return fault
    raise AssertionError("It was not refused.")


class Story:
    def __init__(self, bindery: Bindery) -> None:
        self.bindery = bindery
        self.quotes: list[QuoteBody] = []

    def health(self) -> Gave:
        return {"healthy": self.bindery.health_check().healthy}

    def questions(self) -> Gave:
        sheet = self.bindery.get_questions("CYB")
        return {"product": sheet.product, "first": sheet.questions[0].id}

    def validate(self) -> Gave:
        checked = self.bindery.validate_quotes(REQUEST)
        return {"valid": checked.valid, "missing": checked.missing}

    def quote(self) -> Gave:
        self.quotes = self.bindery.quote(REQUEST)
        return {
            "statuses": [quote.quote_status for quote in self.quotes],
            "premiums": [quote.premium for quote in self.quotes],
        }

    def sign_and_upload(self) -> Gave:
        signed = self.bindery.signed_application(self.quotes[0])
        upload = self.bindery.sign_and_upload(self.quotes[0], lambda _: signed)
        return {"finding": upload.finding, "signature": upload.signature}

    def bind(self) -> Gave:
        bound = self.bindery.bind(self.quotes[0], attested=True)
        return {"outcome": bound.outcome, "quote_status": bound.quote_status}

    def download(self) -> Gave:
        return {"begins": self.bindery.download("policy", self.quotes[0])[:5].decode()}

    def packet(self) -> Gave:
        return {"has_forms": bool(self.bindery.packet_metadata(self.quotes[0], "policy").documents)}

    def other_option(self) -> Gave:
        return {"status": self.bindery.wait_for_quote(self.quotes[1]).quote_status}

    def pause_renewal(self) -> Gave:
        self.bindery.pause_renewal(self.quotes[0])
        return {"actions": self.bindery.wait_for_quote(self.quotes[0]).available_actions}

    def events(self) -> Gave:
        told = list(self.bindery.events(quote=self.quotes[0]))
        pages = list(self.bindery.event_pages(quote=self.quotes[0], limit=1))
        cursor = pages[-1].next_cursor
        more = self.bindery.list_events(quote=self.quotes[0], after=cursor, event_type="quote.published")
        return {
            "first": told[0].type,
            "issued": "policy.issued" in {event.type for event in told},
            # Documents that are made in the meantime are told as well.
            "pages": [page.events[0].id for page in pages][: len(told)] == [event.id for event in told],
            "nothing_new": more.events == [],
        }

    def same_key(self) -> Gave:
        self.key = f"python-{uuid.uuid4()}"
        receipts = [self.bindery.create_quotes(REQUEST, idempotency_key=self.key) for _ in range(2)]
        return {"same": receipts[0] == receipts[1]}

    def other_body_same_key(self) -> Gave:
        other = changed(name="Kestrel Books LLC")
        fault = refusal(lambda: self.bindery.create_quotes(other, idempotency_key=self.key))
        return {"status": fault.status, "code": fault.code}

    def unknown(self) -> Gave:
        fault = refusal(lambda: self.bindery.get_quote(str(uuid.uuid4())))
        return {"status": fault.status, "code": fault.code}

    def not_ready(self) -> Gave:
        receipt = self.bindery.create_quotes(changed(domains=["slow.example.com"]))
        fault = refusal(lambda: self.bindery.download_document("quote_letter", receipt.quotes[0]))
        assert isinstance(fault, NotReady)
        return {"status": fault.status, "code": fault.code}

    def problems(self) -> Gave:
        fault = refusal(lambda: self.bindery.create_quotes(changed(name="", revenue=0)))
        return {"code": fault.code, "paths": sorted(problem.path for problem in fault.problems)}

    def wrong_state(self) -> Gave:
        fault = refusal(lambda: self.bindery.bind(self.quotes[1]))
        return {"code": fault.code, "from": sorted(fault.available_statuses)}

    def unreachable(self) -> Gave:
        with Bindery(TOKEN, "http://127.0.0.1:9/v2") as nobody:
            fault = refusal(nobody.health_check)
        return {"status": fault.status, "code": fault.code}

    def referral(self) -> Gave:
        (referred, *_) = self.bindery.quote(changed(domains=["red-flags.example.com"]))
        approved = self.bindery.review_quote(referred, {"decision": "approve", "reason": "Looked at."})
        return {"before": referred.quote_status, "after": approved.quote_status}

    def webhook(self) -> Gave:
        came = threading.Event()
        kept: list[tuple[dict[str, str], bytes]] = []

        class Receiver(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(204)
                self.end_headers()
                if b"webhook.ping" in body:
                    kept.append((dict(self.headers), body))
                    came.set()

            def log_message(self, *_: object) -> None:
                pass

        with HTTPServer(("127.0.0.1", 0), Receiver) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            secret = self.bindery.set_webhook_secret().secret
            webhook = self.bindery.register_webhook(f"http://127.0.0.1:{server.server_port}/")
            ping = self.bindery.ping_webhook(webhook.id)
            came.wait(300)
            server.shutdown()
        headers, body = kept[0]
        event = verify_delivery(secret, headers, body)
        try:
            verify_delivery(secret, headers, body.replace(b"webhook.ping", b"webhook.pong"))
        except SignatureError:
            forged = "refused"
        listed = ping.event_id in {delivery.event_id for delivery in self.bindery.deliveries(webhook.id)}
        removed = self.bindery.remove_webhook(webhook.id)
        return {"type": event.type, "forged": forged, "listed": listed, "status": removed.status}

    def clock(self) -> Gave:
        before = self.bindery.show_clock().now
        return {"moved": self.bindery.move_clock(0).now >= before}


if __name__ == "__main__":
    steps = json.loads(Path(sys.argv[1]).read_text())["steps"]
    with Bindery(TOKEN, URL) as connection:
        story = Story(connection)
        sys.stdout.write(json.dumps([getattr(story, step["step"])() for step in steps]))
