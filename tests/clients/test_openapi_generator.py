"""openapi-generator takes the document as it is, and what it makes of the one without webhooks compiles."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from tools.javac import javac

from clients.test_generated_clients import check_report, in_camel_case, operation_ids, run_flow
from support.client_tools import ANSWERS_WITHIN_S, NODE_MODULES, TOOLS, run_tool
from support.processes import Running

HERE = Path(__file__).parent / "openapi_generator"
ONLY_CODE = "apis,models,supportingFiles,apiTests=false,modelTests=false,apiDocs=false,modelDocs=false"
OPTIONS = {
    # Its constants share one namespace, and events and deliveries have types of the same names.
    "go": ("--additional-properties=enumClassPrefix=true",)
}
PARSED = ("java", "csharp")
"""What their compilers need is not had with the tools: a dozen libraries, or the compiler itself."""
ON_THE_JDK_ALONE = (
    "--library=native",
    "--additional-properties=openApiNullable=false,useJakartaEe=true,annotationLibrary=none",
    # The generator's templates name a getter after `List<String>`, which is no name.
    "--schema-mappings=Question_value=Object",
)
"""What is left to find for a compiler is in the generator's own archive, but for four small types."""
COMPILER = javac()


@pytest.fixture(scope="module")
def without_webhooks(demo: Running, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("without") / "openapi.json"
    answer = httpx.get(f"{demo.url}/v2/openapi.json?webhooks=no", timeout=ANSWERS_WITHIN_S)
    file.write_bytes(answer.raise_for_status().content)
    return file


def generate(language: str, document: Path, folder: Path, *options: str) -> Path:
    made = run_tool(
        "openapi-generator-cli",
        "generate",
        f"--input-spec={document}",
        f"--generator-name={language}",
        f"--output={folder}",
        *options,
        folder=folder,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return folder


Generated = Callable[[str], Path]


@pytest.fixture(scope="module")
def generated(without_webhooks: Path, tmp_path_factory: pytest.TempPathFactory) -> Generated:
    """Make the client of a language once."""
    folders: dict[str, Path] = {}

    def of(language: str) -> Path:
        if language not in folders:
            folders[language] = generate(
                language,
                without_webhooks,
                tmp_path_factory.mktemp(language),
                f"--global-property={ONLY_CODE}",
                *OPTIONS.get(language, ()),
            )
        return folders[language]

    return of


def not_python(folder: Path) -> str:
    """Return what Python says of files that are none."""
    return run_tool("python", "-m", "compileall", "-q", "openapi_client", folder=folder).stdout


def complaints_of_tsc(folder: Path) -> str:
    (folder / "node_modules").symlink_to(NODE_MODULES)
    shutil.copy(HERE / "tsconfig.json", folder)
    return run_tool("tsc", "--project", ".", folder=folder).stdout


def test_the_whole_document_is_valid_for_openapi_generator(document: Path, tmp_path: Path) -> None:
    judged = run_tool("openapi-generator-cli", "validate", f"--input-spec={document}", folder=tmp_path)

    assert judged.returncode == 0, judged.stdout + judged.stderr


def test_a_link_with_a_body_stops_openapi_generator(document: Path, tmp_path: Path) -> None:
    worse = json.loads(document.read_text())
    link = worse["paths"]["/v2/webhooks"]["post"]["responses"]["200"]["links"]["replay_deliveries"]
    link["requestBody"] = {"since": "2026-08-15T00:00:00Z"}
    file = tmp_path / "worse.json"
    file.write_text(json.dumps(worse))

    judged = run_tool("openapi-generator-cli", "validate", f"--input-spec={file}", folder=tmp_path)

    assert judged.returncode == 1
    assert "links.replay_deliveries.requestBody" in judged.stdout + judged.stderr


def test_the_python_client_is_python_and_has_every_operation(
    generated: Generated, without_webhooks: Path
) -> None:
    folder = generated("python")
    made = "".join(file.read_text() for file in folder.glob("openapi_client/api/*.py"))

    assert not_python(folder) == ""
    assert [name for name in operation_ids(without_webhooks) if f"def {name}(" not in made] == []


def test_a_program_on_the_python_client_takes_a_quote_to_its_policy(
    generated: Generated, demo: Running
) -> None:
    folder = generated("python")
    shutil.copy(HERE / "flow.py", folder)

    check_report(run_flow("python", "flow.py", demo=demo, folder=folder, company="Kestrel Generated LLC"))


def test_the_deliveries_of_the_whole_document_are_what_python_cannot_read(
    document: Path, tmp_path: Path
) -> None:
    # Why there is a document without them; when this passes the switch has become needless.
    assert "deliveries_api.py" in not_python(generate("python", document, tmp_path))


def test_the_typescript_client_compiles_strictly_and_has_every_operation(
    generated: Generated, without_webhooks: Path
) -> None:
    folder = generated("typescript-fetch")
    made = "".join(file.read_text() for file in folder.glob("apis/*.ts"))

    assert complaints_of_tsc(folder) == ""
    assert [n for n in operation_ids(without_webhooks) if f"async {in_camel_case(n)}(" not in made] == []


@pytest.mark.parametrize("language", PARSED)
def test_a_client_in_another_language_is_of_that_language(
    language: str, generated: Generated, without_webhooks: Path
) -> None:
    parsed = run_tool("python", HERE / "syntax.py", language, generated(language), folder=HERE)

    assert (parsed.stdout, parsed.returncode) == ("", 0), parsed.stderr
    # Every schema is a file, and every tag.
    assert int(parsed.stderr) > len(json.loads(without_webhooks.read_text())["components"]["schemas"]) / 2


def test_a_file_that_is_not_of_its_language_is_named(tmp_path: Path) -> None:
    (tmp_path / "Good.java").write_text("class Good {}\n")
    (tmp_path / "Bad.java").write_text("class Bad { List<String> getList<String>() {} }\n")

    parsed = run_tool("python", HERE / "syntax.py", "java", tmp_path, folder=HERE)

    assert parsed.stdout == "Bad.java\n"


@pytest.mark.parametrize(
    ("language", "files"),
    [
        ("java", "src/main/java/**/api/*.java"),
        ("go", "api_*.go"),
        ("csharp", "src/**/Api/*.cs"),
    ],
)
def test_a_client_in_another_language_has_every_operation(
    language: str, files: str, generated: Generated, without_webhooks: Path
) -> None:
    made = "".join(file.read_text() for file in generated(language).glob(files)).lower()

    missing = [
        name
        for name in operation_ids(without_webhooks)
        if not re.search(rf"\b{name.replace('_', '')}(async|execute)?\(", made)
    ]
    assert missing == []


@pytest.mark.skipif(COMPILER is None, reason="There is no javac: run python -m tools.javac")
def test_the_java_client_compiles(without_webhooks: Path, tmp_path: Path) -> None:
    assert COMPILER is not None
    folder = generate("java", without_webhooks, tmp_path, f"--global-property={ONLY_CODE}", *ON_THE_JDK_ALONE)
    archive = next(TOOLS.glob("lib/python*/site-packages/openapi_generator_cli/openapi-generator.jar"))
    sources = [*folder.glob("src/main/java/**/*.java"), *HERE.glob("java/**/*.java")]

    def compiled(*files: Path) -> subprocess.CompletedProcess[str]:
        (tmp_path / "sources").write_text("\n".join(map(str, files)))
        options = ("-nowarn", "-proc:none", "-encoding", "utf-8", "-cp", archive, "-d", tmp_path / "classes")
        return run_tool(COMPILER, *options, f"@{tmp_path}/sources", folder=tmp_path)

    worse = tmp_path / "Worse.java"
    worse.write_text("class Worse { String name() { return 1; } }\n")

    whole, wrong = compiled(*sources), compiled(worse)

    assert whole.returncode == 0, whole.stderr
    assert (wrong.returncode, "incompatible types" in wrong.stderr) == (1, True)


def test_the_go_client_compiles(generated: Generated, tmp_path: Path) -> None:
    folder = shutil.copytree(generated("go"), tmp_path / "client")
    # Stands in for the one library it takes, which nothing here downloads.
    shutil.copytree(HERE / "validator", folder / "validator")
    with (folder / "go.mod").open("a") as module:
        module.write("replace gopkg.in/validator.v2 => ./validator\n")

    vetted = run_tool(
        "go",
        "vet",
        ".",
        folder=folder,
        GOFLAGS="-mod=mod",
        GOPROXY="off",
        GOTOOLCHAIN="local",
        GOCACHE=str(tmp_path / "cache"),
    )

    assert vetted.returncode == 0, vetted.stderr
