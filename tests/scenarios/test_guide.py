"""Every example of the guide is run against a demo, in order, and its answers look as they are shown."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bindery.api.guide.markdown import Example, examples
from bindery.api.guide.pages import PAGE_BY_NAME, PAGES, Page
from support.processes import Running, demo_running

QUICKSTART = PAGE_BY_NAME["quickstart"]
GUIDE = [page for page in PAGES if page.file.startswith("guide/")]
AGAIN = "\x1e"
"""Stands in the output between one example and the next."""


@pytest.fixture(scope="module")
def demo(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with demo_running(server, template, tmp_path_factory.mktemp("guide")) as running:
        yield running


def shell_examples(page: Page) -> list[Example]:
    return [example for example in examples(page) if example.language == "bash"]


def before(page: Page) -> list[str]:
    """Return what other pages take for granted: the request of the quickstart, sent."""
    return [] if page == QUICKSTART else [example.code for example in shell_examples(QUICKSTART)[:3]]


def run(page: Page, demo: Running, folder: Path) -> list[str]:
    """Run a page's examples in one shell and return what each printed."""
    taken_for_granted = before(page)
    blocks = [*taken_for_granted, *(example.code for example in shell_examples(page))]
    script = f"\nprintf '{AGAIN}'\n".join(blocks)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "BINDERY_URL": demo.url, "BINDERY_TOKEN": demo.token},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    return done.stdout.split(AGAIN)[len(taken_for_granted) :]


def shape_problems(shown: Any, answered: Any, path: str = "$") -> list[str]:
    """Return where an answer lacks what the guide shows of it."""
    match shown, answered:
        case dict(), dict():
            missing = [f"{path}.{name}" for name in shown if name not in answered]
            inside = (
                shape_problems(part, answered[name], f"{path}.{name}")
                for name, part in shown.items()
                if name in answered
            )
            return missing + [problem for problems in inside for problem in problems]
        case [first, *_], [answer, *_]:
            return shape_problems(first, answer, f"{path}[0]")
        case _ if type(shown) is type(answered) or {type(shown), type(answered)} <= {int, float}:
            is_word = isinstance(shown, str) and re.fullmatch(r"[a-z]+_[a-z_]+|matched|published", shown)
            return [f"{path}: {answered!r} instead of {shown!r}"] if is_word and shown != answered else []
        case _:
            return [f"{path}: {answered!r} instead of {shown!r}"]


@pytest.mark.parametrize("page", GUIDE, ids=lambda page: page.name)
def test_the_examples_of_a_page_run(demo: Running, tmp_path: Path, page: Page) -> None:
    printed_all = run(page, demo, tmp_path)
    printed = iter(printed_all)
    answer = ""
    problems = []
    for example in examples(page):
        if example.language == "bash":
            answer = next(printed)
        elif example.language == "json":
            last = [line for line in answer.splitlines() if line.startswith("{")][-1]
            problems += shape_problems(json.loads(example.code), json.loads(last))

    assert problems == [], printed_all


def test_the_quickstart_leaves_a_policy_on_the_disk(demo: Running, tmp_path: Path) -> None:
    run(QUICKSTART, demo, tmp_path)

    assert (tmp_path / "policy.pdf").read_bytes().startswith(b"%PDF-")
    assert (tmp_path / "policy.pdf").stat().st_size > 100_000


def test_every_code_that_looks_like_a_request_is_run() -> None:
    """A fence with curl in it is `bash`, which is run; nothing hides under another name."""
    hidden = [
        (page.name, example.language)
        for page in GUIDE
        for example in examples(page)
        if "curl " in example.code and example.language != "bash"
    ]

    assert hidden == []
