"""A webhook receiver: verifies every delivery, skips what it has seen, prints the rest.

    WEBHOOK_SECRET=whsec_… python webhook_receiver.py        # listens on http://127.0.0.1:9000

Needs `pip install standardwebhooks` and nothing else.
"""

import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

try:
    from standardwebhooks import Webhook, WebhookVerificationError
except ModuleNotFoundError:
    sys.exit("First: pip install standardwebhooks")
if "WEBHOOK_SECRET" not in os.environ:
    sys.exit("Set WEBHOOK_SECRET to what POST /v2/settings/webhook_secret returned.")
webhook = Webhook(os.environ["WEBHOOK_SECRET"])
seen: set[str] = set()  # keep this in your database: a delivery may come more than once


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            event = webhook.verify(body, dict(self.headers))
        except WebhookVerificationError:
            self.answer(400)
            return
        if self.headers["webhook-id"] not in seen:
            seen.add(self.headers["webhook-id"])
            print(event["type"], event["data"], flush=True)
        self.answer(204)  # any 2xx within 15 seconds; do slow work later

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.end_headers()


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver).serve_forever()
