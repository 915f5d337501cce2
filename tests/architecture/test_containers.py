"""Every command, path, account and setting that the container files name is one that the program has."""

import re
import shlex
import tomllib
from pathlib import Path, PurePosixPath

import pytest
from typer.main import get_command

from bindery.api.operations import OPERATIONS
from bindery.cli.main import _app
from bindery.server.serve import SHUTDOWN_S
from bindery.settings import load_settings
from support.containers import COMPOSE, OURS, command_of, dockerfile, environment_of, only
from support.source_tree import ROOT

SERVICES = COMPOSE["services"]
WORKFLOW = (ROOT / ".github" / "workflows" / "test.yml").read_text("utf-8")
GUIDE = (ROOT / "docs" / "operations.md").read_text("utf-8")
PATHS = {operation.path for operation in OPERATIONS if operation.method == "GET"}


def parsed(words: list[str]) -> dict[str, object]:
    """Parse a command line, and return what was understood; nothing is run."""
    command = get_command(_app(words[0]))
    rest = list(words)
    while hasattr(command, "commands"):
        command = command.commands[rest.pop(0)]
    return command.make_context(words[0], rest).params


@pytest.mark.parametrize("service", OURS)
def test_a_service_runs_a_command_that_the_program_has(service: str) -> None:
    assert parsed(command_of(service))


def test_a_seeded_option_that_does_not_exist_is_found() -> None:
    with pytest.raises(Exception, match="No such option"):
        parsed(["serve", "--threads", "4"])


@pytest.mark.parametrize("path", sorted((ROOT / "deploy").glob("*.service")), ids=lambda path: path.stem)
def test_a_unit_runs_a_command_that_the_program_has(path: Path) -> None:
    (line,) = re.findall(r"^ExecStart=\S+/bindery (.*)$", path.read_text("utf-8"), re.MULTILINE)

    assert parsed(shlex.split(line))


def test_the_first_steps_in_a_container_are_commands_that_the_program_has() -> None:
    (steps,) = re.findall(r"exec serve sh -ec '\n(.*?)\n'", GUIDE, re.DOTALL)
    commands = [shlex.split(line.rpartition("bindery ")[2]) for line in steps.splitlines()]

    assert [words[:2] for words in commands] == [
        ["partner", "add"],
        ["broker", "add"],
        ["user", "add"],
        ["user", "add"],
        ["user", "add"],
        ["token", "issue"],
    ]
    assert all(parsed(words) for words in commands)


@pytest.mark.parametrize("service", OURS)
def test_the_settings_of_a_service_are_ones_that_it_starts_with(service: str, tmp_path: Path) -> None:
    variables = {name: value for name, value in environment_of(service).items() if "BINDERY_" in name}

    settings = load_settings(variables, env_file=tmp_path / "none.env")

    assert settings.is_demo
    assert settings.base_url == f"{settings.platform_url}/v2"


def test_the_image_asks_itself_on_the_port_that_it_serves() -> None:
    serves = parsed(only("CMD").words)
    health = only("HEALTHCHECK").said
    _, host, port, path = re.findall(r"(https?)://([\w.]+):(\d+)(/\w+)", health)[0]

    assert only("EXPOSE").said == str(serves["port"]) == port
    assert (serves["host"], host) == ("0.0.0.0", "127.0.0.1")
    assert path in PATHS
    assert SERVICES["serve"]["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert f":{port}/v2" in environment_of("serve")["BINDERY_BASE_URL"]


def test_the_image_alone_is_the_demo_and_a_deployment_names_its_commands() -> None:
    assert only("CMD").words[0] == "demo"
    for service, words in {name: SERVICES[name]["command"] for name in OURS}.items():
        assert words[0] == service
    assert parsed(command_of("serve"))["host"] == "0.0.0.0"
    assert parsed(command_of("serve"))["port"] == parsed(only("CMD").words)["port"]


def test_the_account_owns_the_folder_that_is_kept() -> None:
    (account,) = [step.said for step in dockerfile() if step.said.startswith("useradd ")]
    home = re.search(r"--home-dir (\S+) --create-home (\w+)$", account)
    assert home is not None

    folder = PurePosixPath(environment_of("serve")["BINDERY_DATA_DIR"])
    assert only("USER").said == home[2]
    assert only("VOLUME").said == only("WORKDIR").said == home[1]
    assert PurePosixPath(home[1]) in folder.parents
    for service in OURS:
        (mounted,) = SERVICES[service]["volumes"]
        assert mounted.partition(":")[2] == home[1]


def test_the_program_is_found_where_the_first_stage_put_it() -> None:
    made = [step.said for step in dockerfile() if step.stage == 1 and "-m venv" in step.said]
    (folder,) = (said.split()[-1] for said in made)

    assert only("COPY").words == ["--from=build", folder, folder]
    assert environment_of("serve")["PATH"].startswith(f"{folder}/bin:")
    assert all(
        step.said.startswith(f"{folder}/bin/pip ") for step in dockerfile() if "pip install" in step.said
    )


def test_both_stages_have_a_python_that_the_program_runs_on() -> None:
    images = {step.said.removesuffix(" AS build") for step in dockerfile() if step.name == "FROM"}
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["requires-python"]

    (image,) = images
    version = re.match(r"python:(\d+\.\d+)-", image)
    assert version is not None
    assert needed == f">={version[1]}"


def test_a_service_has_the_time_to_stop_that_the_guide_names() -> None:
    needed = load_settings(environment_of("serve")).drain_seconds + SHUTDOWN_S
    assert int(SERVICES["serve"]["stop_grace_period"].removesuffix("s")) == 40 > needed
    assert SERVICES["work"]["stop_grace_period"] == "90s"
    assert "40 seconds for the API, 90 for a worker" in GUIDE


def test_the_database_is_healthy_only_once_it_takes_connections_over_the_network() -> None:
    """While it makes its first tables it answers on its socket alone, and `migrate` would fail."""
    _, command = SERVICES["postgres"]["healthcheck"]["test"]
    account = SERVICES["postgres"]["environment"]

    assert command.split() == ["pg_isready", "--host", "127.0.0.1", "--username", account["POSTGRES_USER"]]
    assert environment_of("migrate")["BINDERY_DATABASE_URL"] == (
        f"postgresql://{account['POSTGRES_USER']}:{account['POSTGRES_PASSWORD']}"
        f"@postgres/{account['POSTGRES_DB']}"
    )


def test_the_workflow_starts_services_and_asks_for_paths_that_there_are() -> None:
    (file, services) = re.findall(r"--file (\S+) up .* --wait-timeout \d+ (.+)$", WORKFLOW, re.MULTILINE)[0]
    asked = re.findall(r"curl .* http://127\.0\.0\.1:8000(\S+)", WORKFLOW)

    assert (ROOT / file).is_file()
    assert set(services.split()) <= SERVICES.keys()
    assert asked
    assert set(asked) <= PATHS
