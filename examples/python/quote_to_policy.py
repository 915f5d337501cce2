"""From a request to a policy on disk.

BINDERY_TOKEN=… python quote_to_policy.py ../cyb.json policy.pdf
"""

import json
import os
import sys
from pathlib import Path

from bindery_client import ApiError, Bindery


def main(request_file: str, policy_file: str) -> None:
    request = json.loads(Path(request_file).read_text())
    url = os.environ.get("BINDERY_URL", "http://127.0.0.1:8000")
    with Bindery(os.environ["BINDERY_TOKEN"], url) as bindery:
        quotes = bindery.quote(request)
        for quote in quotes:
            print(f"{quote.aggregate_limit:>12,}  {quote.quote_status}  premium {quote.premium}")
        chosen = next(quote for quote in quotes if "bind" in quote.available_actions)

        # Your e-signature provider takes `bindery.download("application", chosen)`; the demo signs it itself.
        upload = bindery.upload_signed(chosen, bindery.signed_application(chosen))
        print(upload.message)

        bound = bindery.bind(chosen, attested=True)
        print(bound.outcome, bound.policy_number)

        Path(policy_file).write_bytes(bindery.download("policy", bound))
        print(f"Saved {policy_file}.")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:3])
    except ApiError as fault:
        for problem in fault.problems:
            print(f"{problem.path}: {problem.message}", file=sys.stderr)
        sys.exit(f"{fault.message} ({fault.code}, {fault.request_id or 'no request id'})")
