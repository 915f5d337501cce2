"""Resolve the npm packages of the folders named on the command line into their `package-lock.json`.

Only names, versions and hashes stay in it: whoever installs fetches from the registry of their own settings.
"""

import json
import subprocess
import sys
from pathlib import Path

NPM = ("npm", "install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund", "--silent")
ADDRESSES = ("resolved", "funding", "deprecated")


def main() -> None:
    for folder in map(Path, sys.argv[1:]):
        subprocess.run(NPM, cwd=folder, check=True)  # noqa: S603 - a fixed command in a folder of ours
        lock = folder / "package-lock.json"
        lock.write_text(without_addresses(lock.read_text("utf-8")), "utf-8")


def without_addresses(lock: str) -> str:
    content = json.loads(lock)
    for package in content["packages"].values():
        for name in ADDRESSES:
            package.pop(name, None)
        # Old packages name their licenses with addresses.
        if isinstance(package.get("license"), list):
            package["license"] = " AND ".join(row["type"] for row in package["license"])
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    main()
