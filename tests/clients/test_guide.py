"""The examples in TypeScript are run, and those in both languages pass strict types."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tools.guide_programs import pages_in, run_page, write_program

from bindery.api.guide.pages import GuidePage
from support.client_tools import run_tool
from support.guide_pages import DELIVERED_IN_TYPESCRIPT, unsaid
from support.processes import Running, demo_running
from support.reference_samples import (
    answers_to_samples,
    played,
    samples_gone_wrong,
    shown_samples,
    write_samples,
)

STRICT = {
    "compilerOptions": {
        "strict": True,
        "noEmit": True,
        "skipLibCheck": True,
        "target": "es2023",
        "module": "nodenext",
        "types": ["node"],
    }
}


@pytest.fixture(scope="module")
def demo(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A demo of these tests' own: their programs move its clock, and others ask for dates of today."""
    with demo_running(server, template, tmp_path_factory.mktemp("demo")) as running:
        yield running


@pytest.fixture(scope="module")
def guide_project(node_project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the guide's programs with the package, away from the stricter rules of ours."""
    folder = tmp_path_factory.mktemp("guide")
    (folder / "node_modules").symlink_to(node_project / "node_modules")
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    (folder / "tsconfig.json").write_text(json.dumps(STRICT))
    return folder


@pytest.mark.parametrize("page", pages_in("typescript"), ids=lambda page: page.name)
def test_the_typescript_of_a_page_runs(demo: Running, guide_project: Path, page: GuidePage) -> None:
    reached = {"BINDERY_URL": demo.url, "BINDERY_TOKEN": demo.token}
    after = DELIVERED_IN_TYPESCRIPT if page.name == "webhooks" else ""

    printed = run_page(page, "typescript", guide_project / page.name, reached, after=after)

    assert unsaid(page, "typescript", printed) == [], printed
    if page.name == "webhooks":
        assert printed[-1].endswith("received 204 400\n")


def test_the_typescript_of_the_guide_passes_strict_types(guide_project: Path) -> None:
    for page in pages_in("typescript"):
        write_program(page, "typescript", guide_project / page.name)

    checked = run_tool("tsc", "--project", ".", folder=guide_project)

    assert checked.returncode == 0, checked.stdout


def test_the_python_of_the_guide_passes_strict_types(python: Path, tmp_path: Path) -> None:
    programs = [
        write_program(page, "python", tmp_path / page.name).rename(tmp_path / f"{page.name}.py")
        for page in pages_in("python")
    ]

    checked = run_tool(
        "mypy",
        "--strict",
        f"--python-executable={python}",
        f"--cache-dir={tmp_path / 'cache'}",
        *programs,
        folder=tmp_path,
    )

    assert checked.returncode == 0, checked.stdout


def test_the_examples_of_the_reference_run_and_pass_strict_types(
    demo: Running, python: Path, guide_project: Path
) -> None:
    folder = guide_project / "reference"
    samples, flow = shown_samples(demo), played(demo)
    in_typescript, in_python = (
        write_samples(language, samples, flow, demo.url, folder) for language in ("typescript", "python")
    )

    answers = answers_to_samples("typescript", in_typescript, demo)
    with_tsc = run_tool("tsc", "--project", ".", folder=guide_project)
    with_mypy = run_tool("mypy", "--strict", f"--python-executable={python}", in_python.name, folder=folder)

    assert samples_gone_wrong(answers) == []
    assert answers.keys() == {name for name, tabs in samples.items() if "typescript" in tabs}
    assert with_tsc.returncode == 0, with_tsc.stdout
    assert with_mypy.returncode == 0, with_mypy.stdout
