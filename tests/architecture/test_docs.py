"""The documents say what is true: commands exist, links lead somewhere, generated pages are fresh."""

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import get_args, get_type_hints

import msgspec
import pytest
from tools import docs
from tools.source_reading import calls, modules
from typer.main import get_command

from bindery.cli import demo
from bindery.cli.main import _app
from bindery.conformance.run import chosen_rows
from bindery.contract.quotes import CreateQuotesResponse
from bindery.contract.vocabulary import QuoteStatus
from bindery.settings import PREFIX, Settings
from support.source_tree import PACKAGE, ROOT

DOCS = ROOT / "docs"
DECISIONS = sorted((DOCS / "decisions").glob("*.md"))
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md")), *sorted((ROOT / "examples").glob("*.md"))]
NOT_A_SETTING = {"BINDERY_TOKEN", "BINDERY_URL"}
ENFORCED = "**Enforced by:** "
MADE_BY_THE_READER = {".venv/clients"}


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def code_lines(text: str) -> Iterator[str]:
    """Return the lines inside fences, and what stands between backticks in the text."""
    for number, part in enumerate(text.split("```")):
        yield from part.splitlines() if number % 2 else re.findall(r"`([^`\n]+)`", part)


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, the way code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def missing_paths(text: str) -> set[str]:
    """Return the paths between backticks that start in a folder of the project and lead nowhere."""
    tops = (ROOT, PACKAGE)
    named = {
        code for part in text.split("```")[::2] for code in re.findall(r"`([\w.\-]+(?:/[\w.\-]+)+/?)`", part)
    }
    ours = {path for path in named if any((top / path.split("/")[0]).is_dir() for top in tops)}
    return {
        path
        for path in ours
        if not any((top / f"{path}{end}").exists() for top in tops for end in ("", ".py"))
    }


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_path_that_a_page_names_exists(page: Path) -> None:
    assert missing_paths(page.read_text("utf-8")) - MADE_BY_THE_READER == set()


def test_a_path_that_leads_nowhere_is_found() -> None:
    text = "`worker/outage.py` `domain/quote/quote.py` `actions/quote` `src/bindery/nothing/` `and/or`"

    assert missing_paths(text) == {"worker/outage.py", "src/bindery/nothing/"}


@pytest.mark.long
def test_a_stale_page_is_named_and_written_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run_docs(*arguments: str) -> tuple[int, list[str], list[str]]:
        code = docs.main(["--into", str(tmp_path), *arguments])
        printed = capsys.readouterr()
        return code, printed.out.splitlines(), printed.err.splitlines()

    written, _, _ = run_docs()
    (tmp_path / "docs/settings.md").write_text("Anything else.")
    (tmp_path / "docs/lifecycle.md").unlink()
    stale, _, named = run_docs("--check")
    _, wrote, _ = run_docs()
    fresh, _, _ = run_docs("--check")

    assert written == 0
    assert stale == 1
    assert [line.split()[0] for line in named] == ["docs/lifecycle.md", "docs/settings.md"]
    assert wrote == ["wrote docs/lifecycle.md", "wrote docs/settings.md"]
    assert fresh == 0


def test_the_code_of_a_problem_stands_where_it_is_made_so_that_the_catalogue_has_it() -> None:
    passed_on = [
        f"{module.name} line {call.lineno}"
        for module in modules(ROOT / "src" / "bindery")
        for name, call in calls(module)
        if name in {"Problem", "at"} and len(call.args) == 3
        if not isinstance(call.args[1], ast.Constant | ast.Attribute)
    ]

    # An answer's problems are members of `AnswerProblem`, which the catalogue lists whole, and
    # `InvalidRequest.at` is counted where it is called.
    known = ("domain/questions/values.py", "base/errors.py")
    assert [place for place in passed_on if not place.startswith(known)] == []


def test_every_setting_is_documented_in_a_sentence() -> None:
    page = (DOCS / "settings.md").read_text("utf-8")
    hints = get_type_hints(Settings, include_extras=True)

    for setting in fields(Settings):
        sentence = get_args(hints[setting.name])[1]
        assert sentence.endswith(".")
        assert f"| `{PREFIX}{setting.name.upper()}` |" in page
        assert sentence in page


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_no_page_names_a_setting_that_does_not_exist(page: Path) -> None:
    named = set(re.findall(r"\bBINDERY_[A-Z_]+\b", page.read_text("utf-8")))

    assert named - NOT_A_SETTING <= {f"{PREFIX}{setting.name.upper()}" for setting in fields(Settings)}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8"))

    for link in links:
        path, _, anchor = link.partition("#")
        # Addresses of the served site are followed in tests/api/test_docs_site.py.
        if path.startswith(("http://", "https://", "/docs/", "/packages/")):
            continue
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{link} leads nowhere"
        if anchor:
            assert anchor in anchors(target.read_text("utf-8")), f"{link} has no such heading"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_make_target_that_is_named_exists(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        found[1]
        for line in code_lines(page.read_text("utf-8"))
        if (found := re.match(r"\s*make ([a-z-]+)", line))
    }

    assert named <= targets


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_that_is_named_exists_with_its_options(page: Path) -> None:
    for line in code_lines(page.read_text("utf-8")):
        found = re.match(r"\s*(?:\S*/)?bindery ((?:[a-z]|--).*)", line)
        if found:
            check_command(found[1].partition("#")[0])


def check_command(line: str) -> None:
    """Follow the words of a command line down the tree of commands, then look for its options."""
    words = line.replace("[", " ").replace("]", " ").split()
    command = get_command(_app(words[0]))
    names = iter(words)
    while hasattr(command, "commands"):
        name = next(names, None)
        if name is None:
            return
        assert name in command.commands, f"bindery {line}: there is no {name}"
        command = command.commands[name]
    known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
    assert {word for word in words if word.startswith("--")} <= known, f"bindery {line}: unknown option"


@pytest.mark.parametrize("line", ["qoute FILE.json", "token issued", "serve --threads 4"])
def test_a_seeded_command_that_does_not_exist_is_found(line: str) -> None:
    with pytest.raises(AssertionError):
        check_command(line)


def test_the_readme_shows_the_two_commands() -> None:
    lines = list(code_lines((ROOT / "README.md").read_text("utf-8")))

    assert "make demo" in lines
    assert "make test" in lines


def test_the_readme_shows_the_first_request_as_the_demo_prints_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / ".bindery"
    data.mkdir()

    demo._greet(Settings(data_dir=data), 8000, "a-token", data / "bindery.log")

    printed = capsys.readouterr().out.replace(f"{tmp_path.resolve()}/", "")
    request = re.search(r"^curl -s (?:.*\\\n)+.*$", printed, re.MULTILINE)
    assert request is not None
    assert request.group() in (ROOT / "README.md").read_text("utf-8")


def test_the_readmes_receipt_is_one_the_service_could_send() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    shown = re.search(r"```json\n(.+?)```", readme, re.DOTALL)
    assert shown is not None

    receipt = msgspec.json.decode(shown[1], type=CreateQuotesResponse)

    assert msgspec.json.decode(msgspec.json.encode(receipt)) == msgspec.json.decode(shown[1])


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_a_decision_is_one_screen_that_ends_in_what_enforces_it(page: Path) -> None:
    lines = page.read_text("utf-8").rstrip().splitlines()

    assert lines[0].startswith("# ")
    assert lines[-1].startswith(ENFORCED)
    assert len(lines) <= 40


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_what_enforces_a_decision_exists(page: Path) -> None:
    enforced = page.read_text("utf-8").rstrip().splitlines()[-1]
    named = re.findall(r"`([^`]+)`", enforced)
    paths = [ROOT / name for name in named if "/" in name or name.endswith(".toml")]

    assert paths
    assert [path for path in paths if not path.exists()] == []
    sources = [path.read_text("utf-8") for path in (*paths, ROOT / "Makefile") if path.is_file()]
    for word in set(named) - {path.relative_to(ROOT).as_posix() for path in paths} - {"requirements/"}:
        sought = word.removeprefix("make ")
        assert any(sought in source for source in sources), f"nothing named here knows {word}"


def test_every_decision_is_listed_in_the_architecture() -> None:
    listed = re.findall(r"\(decisions/([\w-]+)\.md\)", (DOCS / "architecture.md").read_text("utf-8"))

    assert {page.stem for page in DECISIONS} == set(listed)
    assert len(DECISIONS) >= 16


def test_the_page_on_the_specification_has_every_decision_that_conformance_plays() -> None:
    page = (DOCS / "guide" / "specification.md").read_text("utf-8")
    last_column = re.findall(r"\| ([^|]*) \|$", page, re.MULTILINE)
    named = [name for cell in last_column for name in cell.split("`")[1::2]]

    played = {name: {row.id for row in chosen_rows([name], decisions=True) if row.decision} for name in named}
    assert [name for name, rows in played.items() if not rows] == []
    assert {row.id for row in chosen_rows([], decisions=True) if row.decision} == set().union(
        *played.values()
    )


def test_every_dependency_has_its_line_among_the_decisions() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = {re.split(r"[^\w.-]", line)[0].lower() for line in project["dependencies"]}
    table = (DOCS / "decisions" / "libraries.md").read_text("utf-8").lower()

    assert [name for name in sorted(names) if not re.search(rf"\b{re.escape(name)}\b", table)] == []


def test_the_drawn_life_cycle_shows_every_status() -> None:
    (drawn,) = re.findall(r"```mermaid\n(.*?)```", (DOCS / "lifecycle.md").read_text("utf-8"), re.DOTALL)

    assert set(QuoteStatus) <= set(re.findall(r"\w+", drawn))


@pytest.mark.parametrize("picture", sorted(DOCS.rglob("*.svg")), ids=lambda path: path.stem)
def test_a_picture_loads_nothing_from_anywhere(picture: Path) -> None:
    content = picture.read_text("utf-8")

    assert not re.search(r"<(?:script|image|use|foreignObject)\b|@import|url\((?!#)|\son\w+=", content)
