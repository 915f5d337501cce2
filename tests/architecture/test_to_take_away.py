"""The Postman collection, the image, the compose file and the workflows, looked at without running them."""

import re
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from tools import check_release
from tools.settings_page import settings_page

from bindery.api.guide.pages import PAGES
from bindery.api.openapi import openapi_document
from bindery.api.operations import OPERATIONS, operations_for
from bindery.api.packages.postman import postman_collection
from bindery.api.packages.story import TITLE
from bindery.settings import Settings
from support.containers import COMPOSE, OURS
from support.source_tree import ROOT

DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text("utf-8")
WORKFLOWS = {path.name: yaml.safe_load(path.read_text("utf-8")) for path in ROOT.glob(".github/workflows/*")}
ACTION = r"[\w-]+/[\w-]+@(?:release/)?v\d+"
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


@pytest.fixture(scope="module")
def collection() -> dict[str, Any]:
    settings = Settings()
    return postman_collection(
        openapi_document(operations_for(settings.environment), base_url=settings.base_url)
    )


def requests_of(collection: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for folder in collection["item"][1:]:
        yield from (row["request"] for row in folder["item"])


def test_the_collection_has_every_operation(collection: dict[str, Any]) -> None:
    assert collection["item"][0]["name"] == TITLE
    made = {(row["method"], row["url"]["raw"].removeprefix("{{baseUrl}}")) for row in requests_of(collection)}

    assert made == {(row.method, re.sub(r"\{(\w+)\}", r":\1", row.path)) for row in OPERATIONS}


def test_every_variable_of_a_path_has_an_example(collection: dict[str, Any]) -> None:
    for request in requests_of(collection):
        named = {row["key"] for row in request["url"]["variable"] if row["value"]}
        assert named == {part[1:] for part in request["url"]["path"] if part.startswith(":")}


def test_what_an_address_has_to_say_is_sent_and_nothing_else(collection: dict[str, Any]) -> None:
    sent = {
        (request["url"]["raw"], row["key"], row["value"])
        for request in requests_of(collection)
        for row in request["url"]["query"]
        if not row["disabled"]
    }

    assert sent == {("{{baseUrl}}/v2/industries", "q", "bakery retail")}


def test_a_body_is_the_example_of_the_document(collection: dict[str, Any]) -> None:
    bodies: dict[str, Any] = {
        row["url"]["raw"]: row.get("body") for row in requests_of(collection) if row["method"] == "POST"
    }

    assert '"Harborlight Bakery LLC"' in bodies["{{baseUrl}}/v2/quotes"]["raw"]
    assert {"key": "file", "type": "file", "src": []} in bodies["{{baseUrl}}/v2/documents"]["formdata"]


def test_what_the_image_copies_is_there_and_not_ignored() -> None:
    kept = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = {
        source
        for line in re.findall(r"^COPY (?!--from)(.*)$", DOCKERFILE, re.MULTILINE)
        for source in line.split()[:-1]
    }

    assert copied == kept
    assert [name for name in copied if not (ROOT / name).exists()] == []


def test_the_package_has_every_page_and_the_image_what_the_package_is_built_from() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    taken = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    copied = re.findall(r"^COPY (?!--from)(.*) \S+$", DOCKERFILE, re.MULTILINE)

    served = {f"bindery/docs/{page.file}" for page in PAGES}
    assert {file for file in served if not file.startswith(tuple(taken.values()))} == set()
    assert {source.split("/")[0] for source in taken} <= {name for line in copied for name in line.split()}


def test_the_image_runs_the_program_as_nobody_special() -> None:
    assert re.findall(r"^USER (.*)$", DOCKERFILE, re.MULTILINE) == ["bindery"]
    assert 'ENTRYPOINT ["bindery"]' in DOCKERFILE
    assert "--require-hashes" in DOCKERFILE


def test_the_compose_file_has_the_parts_and_they_wait_for_each_other() -> None:
    services = COMPOSE["services"]

    assert services.keys() == {"postgres", "mail", *OURS}
    assert services["migrate"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    for name in ("serve", "work"):
        assert services[name]["depends_on"] == {"migrate": {"condition": "service_completed_successfully"}}
    assert (ROOT / "deploy" / services["serve"]["build"]["context"]).resolve() == ROOT
    assert (ROOT / services["serve"]["build"]["dockerfile"]).is_file()


@pytest.mark.parametrize("name", OURS)
def test_the_compose_file_sets_only_what_can_be_set(name: str) -> None:
    known = set(re.findall(r"`(BINDERY_\w+)`", settings_page()))

    assert COMPOSE["services"][name]["environment"].keys() <= known


@pytest.mark.parametrize("name", OURS)
def test_everything_a_service_mounts_or_publishes_stays_on_this_machine(name: str) -> None:
    service = COMPOSE["services"][name]

    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))
    assert {volume.partition(":")[0] for volume in service["volumes"]} <= COMPOSE["volumes"].keys()


@pytest.mark.parametrize("name", sorted(WORKFLOWS))
def test_a_workflow_runs_what_the_makefile_has(name: str) -> None:
    steps = [step for job in WORKFLOWS[name]["jobs"].values() for step in job["steps"]]
    made = {target for step in steps for target in re.findall(r"\bmake ([a-z-]+)", step.get("run", ""))}

    assert made
    assert made <= TARGETS
    assert all(re.fullmatch(ACTION, step["uses"]) for step in steps if "uses" in step)


@pytest.mark.parametrize("name", sorted(WORKFLOWS))
def test_a_workflow_has_few_rights_and_an_end(name: str) -> None:
    workflow = WORKFLOWS[name]

    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert job.get("permissions", {}).keys() <= {"contents", "id-token"}
    assert all(job["timeout-minutes"] <= 90 for job in workflow["jobs"].values())


def test_a_release_publishes_what_it_built_and_keeps_no_secret() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    jobs = WORKFLOWS["release.yml"]["jobs"]

    assert re.findall(r"\bsecrets\.\w+|(?<!id-)token:|password:", text) == []
    for name, artifact in (("publish-python", "python"), ("publish-npm", "npm")):
        job = jobs[name]
        (taken,) = (step["with"] for step in job["steps"] if "download-artifact" in step.get("uses", ""))
        assert job["needs"] == "release"
        assert job["permissions"] == {"id-token": "write"}
        assert (job["environment"], taken["name"]) == (artifact, artifact)
    steps = jobs["release"]["steps"]
    given = {step["with"]["name"] for step in steps if "upload-artifact" in step.get("uses", "")}
    assert given == {"python", "npm"}
    commands = [step.get("run", "") for step in steps]
    checked = '.venv/bin/python -m tools.check_release "$GITHUB_REF_NAME" "$GITHUB_REPOSITORY"'
    assert commands.index(checked) < commands.index("make packages")


def test_a_tag_is_published_from_the_repository_that_the_packages_name(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert check_release.main(["v0.1.0", "bindery/bindery"]) == 0

    assert check_release.main(["v0.2.0", "bindery/bindery"]) == 1
    assert "clients/typescript/package.json has version 0.1.0, the tag is v0.2.0" in capsys.readouterr().err
    assert check_release.main(["v0.1.0", "somebody/a-fork"]) == 1
    assert capsys.readouterr().err.count("this is https://github.com/somebody/a-fork") == 3
