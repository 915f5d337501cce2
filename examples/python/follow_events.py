"""Print what happened since the last run; the place in the feed is kept in a file.

BINDERY_TOKEN=… python follow_events.py cursor.txt
"""

import os
import sys
from pathlib import Path

from bindery_client import Bindery


def main(cursor_file: str) -> None:
    kept = Path(cursor_file)
    after = kept.read_text().strip() if kept.exists() else None
    url = os.environ.get("BINDERY_URL", "http://127.0.0.1:8000")
    with Bindery(os.environ["BINDERY_TOKEN"], url) as bindery:
        for page in bindery.event_pages(after=after):
            for event in page.events:
                print(event.timestamp.isoformat(), event.type, event.data["quote_identifier"])
            kept.write_text(page.next_cursor)  # after the page was dealt with: nothing is lost


if __name__ == "__main__":
    main(*sys.argv[1:2])
