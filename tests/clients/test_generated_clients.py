"""Clients that four generators make of the document compile strictly, and take a quote to its policy."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.client_tools import NODE_MODULES, TOOLS, run_tool
from support.processes import Running

HERE = Path(__file__).parent
TYPESCRIPT_FLOWS = ("openapi_fetch", "hey_api", "orval")
GENERATED = {
    "openapi_fetch": "openapi_typescript.ts",
    "hey_api": "hey_api/sdk.gen.ts",
    "orval": "orval/bindery.ts",
}


def operation_ids(document: Path) -> Iterator[str]:
    for path in json.loads(document.read_text())["paths"].values():
        yield from (operation["operationId"] for operation in path.values() if "operationId" in operation)


def in_camel_case(name: str) -> str:
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), name)


def make_python_client(document: Path, folder: Path) -> str:
    """Make the client; return its complaints, for it leaves out what it cannot read and continues."""
    shutil.copytree(HERE / "python", folder, dirs_exist_ok=True)
    made = run_tool(
        "openapi-python-client",
        "generate",
        f"--path={document}",
        "--config=openapi_python_client.yaml",
        "--meta=none",
        "--output-path=bindery_api",
        "--fail-on-warning",
        folder=folder,
    )
    return made.stdout + made.stderr if made.returncode else ""


@pytest.fixture(scope="module")
def python_client(document: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a partner's program and the client it uses."""
    folder = tmp_path_factory.mktemp("python")
    assert make_python_client(document, folder) == ""
    return folder


def make_typescript_clients(document: Path, folder: Path) -> None:
    shutil.copytree(HERE / "typescript", folder, dirs_exist_ok=True)
    (folder / "node_modules").symlink_to(NODE_MODULES)
    (folder / "package.json").write_text('{"type": "commonjs"}')
    for command in (
        # By itself the tool makes a field compulsory that has a default, in requests too.
        (
            "openapi-typescript",
            document,
            "--output=generated/openapi_typescript.ts",
            "--default-non-nullable=false",
        ),
        ("openapi-ts", "--input", document, "--output=generated/hey_api", "--no-log-file"),
        ("orval", "--config=orval.config.mjs"),
    ):
        made = run_tool(*command, folder=folder, BINDERY_DOCUMENT=str(document))
        assert made.returncode == 0, made.stdout + made.stderr


def compile_typescript(folder: Path) -> str:
    """Compile clients and flows; return the complaints."""
    return run_tool("tsc", "--project", ".", folder=folder).stdout


@pytest.fixture(scope="module")
def typescript_clients(document: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with partners' programs and the clients they use, compiled."""
    folder = tmp_path_factory.mktemp("typescript")
    make_typescript_clients(document, folder)
    assert compile_typescript(folder) == ""
    return folder


def run_flow(*command: str, demo: Running, folder: Path, company: str) -> Any:
    """Run a partner's program, and return its report."""
    done = run_tool(
        *command,
        folder=folder,
        BINDERY_URL=demo.url,
        BINDERY_TOKEN=demo.token,
        BINDERY_COMPANY=company,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check_report(report: dict[str, Any]) -> None:
    events = report.pop("events")
    assert report == {
        "status": "published",
        "finding": "matched",
        "outcome": "policy_issued",
        "policy_pdf": "%PDF-",
        "metadata": {"crm": "A-17"},
        "unknown": "not_found",
    }
    assert events[0] == "quote.published"
    assert "policy.issued" in events


def test_openapi_python_client_makes_every_operation(python_client: Path, document: Path) -> None:
    made = {path.stem for path in python_client.glob("bindery_api/api/*/*.py")} - {"__init__"}

    assert made == set(operation_ids(document))


def test_openapi_python_client_gives_every_type_a_name_and_no_number(python_client: Path) -> None:
    made = {path.stem for path in python_client.glob("bindery_api/models/*.py")}

    assert [name for name in made if re.search(r"_type_\d+$", name)] == []


def test_a_program_on_openapi_python_client_and_the_client_pass_strict_types(python_client: Path) -> None:
    checked = run_tool(
        "mypy",
        "--strict",
        f"--python-executable={TOOLS / 'bin' / 'python'}",
        "--cache-dir=checked",
        "flow.py",
        "bindery_api",
        folder=python_client,
    )

    assert checked.returncode == 0, checked.stdout


def test_a_program_on_openapi_python_client_takes_a_quote_to_its_policy(
    python_client: Path, demo: Running
) -> None:
    check_report(run_flow("python", "flow.py", demo=demo, folder=python_client, company="Kestrel Books LLC"))


@pytest.mark.parametrize("flow", TYPESCRIPT_FLOWS)
def test_a_typescript_generator_makes_every_operation(
    flow: str, typescript_clients: Path, document: Path
) -> None:
    made = (typescript_clients / "generated" / GENERATED[flow]).read_text()

    missing = [
        name
        for name in operation_ids(document)
        if not re.search(rf"\b({in_camel_case(name)}|operations\[\"{name}\"\])", made)
    ]
    assert missing == []


@pytest.mark.parametrize("flow", TYPESCRIPT_FLOWS)
def test_a_typescript_program_takes_a_quote_to_its_policy(
    flow: str, typescript_clients: Path, demo: Running
) -> None:
    check_report(
        run_flow(
            "node", f"built/{flow}.js", demo=demo, folder=typescript_clients, company=f"Kestrel {flow} LLC"
        )
    )


def test_a_list_of_unknown_things_stops_openapi_python_client(document: Path, tmp_path: Path) -> None:
    worse = json.loads(document.read_text())
    worse["components"]["schemas"]["Question"]["properties"]["value"] = {"type": "array"}
    file = tmp_path / "worse.json"
    file.write_text(json.dumps(worse))

    assert "Question" in make_python_client(file, tmp_path)


@pytest.mark.parametrize(
    ("schema", "field", "worse", "complaining"),
    [
        ("Client", "metadata", {"type": "object"}, {"openapi_fetch.ts"}),
        ("Question", "value", {"type": "boolean"}, {"openapi_fetch.ts", "hey_api.ts", "orval.ts"}),
    ],
)
def test_a_document_that_gets_worse_stops_the_typescript_programs(
    schema: str, field: str, worse: Any, complaining: set[str], document: Path, tmp_path: Path
) -> None:
    content = json.loads(document.read_text())
    content["components"]["schemas"][schema]["properties"][field] = worse
    file = tmp_path / "worse.json"
    file.write_text(json.dumps(content))

    make_typescript_clients(file, tmp_path)

    complaints = compile_typescript(tmp_path).splitlines()
    assert {line.split("(")[0] for line in complaints if not line.startswith(" ")} == complaining
