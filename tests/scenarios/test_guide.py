"""Every example of the guide and the reference is run against a demo, and answers as it is shown.

Those in TypeScript are run by `make test-clients`, where there is a compiler.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tools.guide_programs import QUICKSTART, examples, pages_in, run_page
from tools.packages import build_python

from bindery.api.guide.pages import PAGES, GuidePage
from bindery.api.operations import OPERATIONS
from bindery.client import Bindery
from support.guide_pages import DELIVERED, WORD, lonely_requests, unsaid
from support.processes import Running, demo_running
from support.reference_samples import (
    answers_to_samples,
    played,
    samples_gone_wrong,
    shown_samples,
    write_samples,
)
from support.source_tree import ROOT

pytestmark = pytest.mark.long
PRICED = (".premium", ".total")
"""What the tariff makes of the quickstart's request is the same for every reader."""


def each_page(language: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("page", pages_in(language), ids=lambda page: page.name)


@pytest.fixture(scope="module")
def demo(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with demo_running(server, template, tmp_path_factory.mktemp("guide")) as running:
        yield running


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client package as it is built, which can be imported as it is."""
    return build_python(ROOT / "clients" / "python", tmp_path_factory.mktemp("wheel"), "wheel")


def reached(demo: Running) -> dict[str, str]:
    return {"BINDERY_URL": demo.url, "BINDERY_TOKEN": demo.token}


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
            is_fixed = path.endswith(PRICED) or (isinstance(shown, str) and re.fullmatch(WORD, shown))
            return [f"{path}: {answered!r} instead of {shown!r}"] if is_fixed and shown != answered else []
        case _:
            return [f"{path}: {answered!r} instead of {shown!r}"]


@each_page("bash")
def test_the_requests_of_a_page_run(demo: Running, tmp_path: Path, page: GuidePage) -> None:
    printed_all = run_page(page, "bash", tmp_path, reached(demo))

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
    if page is QUICKSTART:
        assert [said for said in printed_all if said and not said.endswith("\n")] == []


@each_page("python")
def test_the_python_of_a_page_runs(demo: Running, wheel: Path, tmp_path: Path, page: GuidePage) -> None:
    after = DELIVERED if page.name == "webhooks" else ""

    printed = run_page(page, "python", tmp_path, {**reached(demo), "PYTHONPATH": str(wheel)}, after=after)

    assert unsaid(page, "python", printed) == [], printed
    if page.name == "webhooks":
        assert printed[-1].endswith("received 204 400\n")


@pytest.mark.parametrize("language", ["bash", "python"])
def test_the_examples_of_the_reference_run(demo: Running, wheel: Path, tmp_path: Path, language: str) -> None:
    samples = shown_samples(demo)

    file = write_samples(language, samples, played(demo), demo.url, tmp_path)
    answers = answers_to_samples(language, file, demo, PYTHONPATH=str(wheel))

    assert samples_gone_wrong(answers) == []
    assert answers.keys() == {name for name, tabs in samples.items() if language in tabs}


def test_every_operation_has_an_example_for_a_shell_and_one_in_each_language_that_has_a_client(
    demo: Running,
) -> None:
    samples = shown_samples(demo)

    assert samples.keys() == {operation.name for operation in OPERATIONS}
    assert {name: set(tabs) for name, tabs in samples.items()} == {
        name: {"bash", "python", "typescript"} if hasattr(Bindery, name) else {"bash"} for name in samples
    }


@each_page("bash")
def test_every_request_is_shown_in_three_languages(page: GuidePage) -> None:
    assert lonely_requests(page) == []


def test_every_code_that_looks_like_a_request_is_run() -> None:
    """A fence with curl in it is `bash`, which is run; nothing hides under another name."""
    hidden = [
        (page.name, example.language)
        for page in PAGES
        for example in examples(page)
        if "curl " in example.code and example.language != "bash"
    ]

    assert hidden == []
