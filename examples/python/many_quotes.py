"""Request quotes for several files at once, with asyncio.

BINDERY_TOKEN=… python many_quotes.py ../cyb.json ../teo.json ../mpl.json
"""

import asyncio
import os
import sys
from pathlib import Path

from bindery_client import AsyncBindery


async def quote_file(bindery: AsyncBindery, name: str, request: bytes) -> None:
    quotes = await bindery.quote(request)
    premiums = ", ".join(f"{quote.premium:,}" if quote.premium else quote.quote_status for quote in quotes)
    print(f"{name}: {premiums}")


async def main(requests: dict[str, bytes]) -> None:
    url = os.environ.get("BINDERY_URL", "http://127.0.0.1:8000")
    async with AsyncBindery(os.environ["BINDERY_TOKEN"], url) as bindery:
        await asyncio.gather(*(quote_file(bindery, name, request) for name, request in requests.items()))


if __name__ == "__main__":
    files = [Path(name) for name in sys.argv[1:]]
    asyncio.run(main({file.name: file.read_bytes() for file in files}))
