"""The guide's examples as programs: what a page shows in one language, run from top to bottom."""

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from markdown_it import MarkdownIt

from bindery.api.guide.pages import PAGE_BY_NAME, PAGES, GuidePage, source
from tools.packages import BIN

QUICKSTART: Final = PAGE_BY_NAME["quickstart"]
COMPLETE: Final = (QUICKSTART, PAGE_BY_NAME["sdks"])
"""Pages that take nothing for granted. The others continue from the quickstart."""
LONGEST_RUN_S: Final = 300
BETWEEN: Final = "\x1e"
"""Separates one example from the next in the output."""


@dataclass(frozen=True, slots=True)
class Language:
    name: str
    file: str
    command: tuple[str, ...]
    between: str
    taken_for_granted: int
    """How many examples of the quickstart the other pages continue from: up to the request that is sent."""


LANGUAGES: Final = {
    "bash": Language("curl", "page.sh", ("bash", "-euo", "pipefail"), f"printf '{BETWEEN}'", 3),
    "python": Language("Python", "page.py", ("python",), f"print({BETWEEN!r}, end='', flush=True)", 2),
    "typescript": Language(
        "TypeScript", "page.ts", (str(BIN / "node"),), 'process.stdout.write("\\x1e");', 2
    ),
}


@dataclass(frozen=True, slots=True)
class Example:
    """A block of code of a page."""

    language: str
    code: str


def examples(page: GuidePage) -> list[Example]:
    """Return the blocks of code of a page, in order."""
    tokens = MarkdownIt("commonmark").parse(source(page))
    return [Example(token.info.strip(), token.content) for token in tokens if token.type == "fence"]


def pages_in(language: str) -> list[GuidePage]:
    return [page for page in PAGES if blocks(page, language)]


def blocks(page: GuidePage, language: str) -> list[str]:
    return [example.code for example in examples(page) if example.language == language]


def granted(page: GuidePage, language: str) -> list[str]:
    """Return the examples of the quickstart that a page continues from."""
    if page in COMPLETE:
        return []
    return blocks(QUICKSTART, language)[: LANGUAGES[language].taken_for_granted]


def program(page: GuidePage, language: str) -> str:
    between = f"\n{LANGUAGES[language].between}\n"
    return between.join([*granted(page, language), *blocks(page, language)])


def write_program(page: GuidePage, language: str, folder: Path, *, after: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (request,) = re.findall(r"<<'JSON'\n(.*?\n)JSON\n", "".join(blocks(QUICKSTART, "bash")), re.DOTALL)
    (folder / "request.json").write_text(request, "utf-8")
    file = folder / LANGUAGES[language].file
    file.write_text(program(page, language) + after, "utf-8")
    return file


def run_page(
    page: GuidePage, language: str, folder: Path, variables: Mapping[str, str], *, after: str = ""
) -> list[str]:
    """Run what a page shows in a language, and return what each example printed."""
    printed = run_program(language, write_program(page, language, folder, after=after), variables)
    return printed.split(BETWEEN)[len(granted(page, language)) :]


def run_program(language: str, file: Path, variables: Mapping[str, str]) -> str:
    """Run a program made of examples in its own folder, and return what it printed."""
    done = subprocess.run(  # noqa: S603 - our own examples
        [*LANGUAGES[language].command, file.name],
        cwd=file.parent,
        env={"PATH": os.pathsep.join([str(BIN), os.environ["PATH"]]), **variables},
        capture_output=True,
        text=True,
        timeout=LONGEST_RUN_S,
        check=False,
    )
    if done.returncode or done.stderr:
        raise RuntimeError(f"{file} failed:\n{done.stdout}\n{done.stderr}")
    return done.stdout
