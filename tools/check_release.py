"""Whether a tag may be published: `python -m tools.check_release v0.1.0 OWNER/NAME`.

A registry keeps a version for good, and takes a package only from the repository that it names.
"""

import json
import sys
import tomllib
from collections.abc import Iterator, Sequence
from typing import Final

from tools.packages import ROOT

CLIENTS: Final = ROOT / "clients"


def main(arguments: Sequence[str] | None = None) -> int:
    tag, repository = sys.argv[1:] if arguments is None else arguments
    wrong = list(problems(tag, repository))
    for problem in wrong:
        sys.stderr.write(f"{problem}\n")
    return 1 if wrong else 0


def problems(tag: str, repository: str) -> Iterator[str]:
    address = f"https://github.com/{repository}"
    for file in (ROOT / "pyproject.toml", CLIENTS / "python" / "pyproject.toml"):
        project = tomllib.loads(file.read_text("utf-8"))["project"]
        yield from _differences(file.relative_to(ROOT).as_posix(), project["version"], tag)
        if project["urls"]["Repository"] != address:
            yield f"{file.relative_to(ROOT)} names {project['urls']['Repository']}, this is {address}"
    manifest = json.loads((CLIENTS / "typescript" / "package.json").read_text("utf-8"))
    yield from _differences("clients/typescript/package.json", manifest["version"], tag)
    if manifest["repository"]["url"] != f"git+{address}.git":
        yield f"clients/typescript/package.json names {manifest['repository']['url']}, this is {address}"


def _differences(file: str, version: str, tag: str) -> Iterator[str]:
    if tag != f"v{version}":
        yield f"{file} has version {version}, the tag is {tag}"


if __name__ == "__main__":
    sys.exit(main())
