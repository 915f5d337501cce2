"""A webhook receiver: registers itself, verifies every delivery, skips what it has seen, prints the rest.

BINDERY_TOKEN=… python webhook_receiver.py 9000
"""

import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from bindery_client import Bindery, SignatureError, verify_delivery

seen: set[str] = set()  # keep this in your database: a delivery may come more than once


class Receiver(BaseHTTPRequestHandler):
    secret = ""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            event = verify_delivery(self.secret, dict(self.headers), body)
        except SignatureError as flaw:
            print(flaw, file=sys.stderr)
            self.answer(400)
            return
        if event.id not in seen:
            seen.add(event.id)
            print(event.type, event.data, flush=True)
        self.answer(204)  # any 2xx within 15 seconds; do slow work later

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Print events alone."""


def main(port: int) -> None:
    url = os.environ.get("BINDERY_URL", "http://127.0.0.1:8000")
    with (
        Bindery(os.environ["BINDERY_TOKEN"], url) as bindery,
        HTTPServer(("127.0.0.1", port), Receiver) as server,
    ):
        Receiver.secret = bindery.set_webhook_secret().secret
        webhook = bindery.register_webhook(f"http://127.0.0.1:{server.server_port}/")
        bindery.ping_webhook(webhook.id)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            pass
        finally:
            bindery.remove_webhook(webhook.id)


if __name__ == "__main__":
    main(int(sys.argv[1]))
