"""Record the examples of the OpenAPI document from a running demo.

bindery demo                                             in another window; it prints a token
python -m tools.examples http://127.0.0.1:8000 TOKEN     writes src/bindery/api/examples.json
"""

import argparse
import asyncio
from pathlib import Path
from typing import Final

import httpx
import msgspec

from bindery.api.openapi import EXAMPLES_FILE
from tools.example_story import record

INTO: Final = Path(__file__).parent.parent / "src" / "bindery" / "api" / EXAMPLES_FILE


async def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.examples", description="Record example answers.")
    parser.add_argument("address", help="where the demo listens")
    parser.add_argument("token", help="a token of its partner `demo`")
    asked = parser.parse_args()
    async with httpx.AsyncClient(base_url=asked.address, timeout=90) as http:
        examples = await record(http, asked.token)
    written = msgspec.json.format(msgspec.json.encode(examples, order="deterministic"), indent=1)
    INTO.write_bytes(written + b"\n")


if __name__ == "__main__":
    asyncio.run(main())
