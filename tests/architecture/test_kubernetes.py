"""The manifests for Kubernetes start what the program has, with settings that it knows and little else."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from dotenv import dotenv_values

from architecture.test_containers import PATHS, parsed
from bindery.server.serve import SHUTDOWN_S
from bindery.setting_sources import unknown_variables
from bindery.settings import load_settings
from bindery.storage.health import READY_WITHIN_S
from support.containers import dockerfile, only
from support.manifests import (
    BASE,
    FOLDER,
    OVERLAYS,
    PAGE,
    manifests,
    read,
    rendered,
    secrets_of_the_page,
    settings_of,
)
from support.source_tree import ROOT

SECRET = "BINDERY_SECRET_KEY"


@dataclass(frozen=True)
class Workload:
    manifest: dict[str, Any]

    @property
    def pod(self) -> dict[str, Any]:
        pod: dict[str, Any] = self.manifest["spec"]["template"]["spec"]
        return pod

    @property
    def container(self) -> dict[str, Any]:
        (container,) = self.pod["containers"]
        assert isinstance(container, dict)
        return container

    @property
    def labels(self) -> dict[str, str]:
        labels: dict[str, str] = self.manifest["spec"]["template"]["metadata"]["labels"]
        return labels


def of_kind(kind: str) -> dict[str, dict[str, Any]]:
    return {found["metadata"]["name"]: found for found in manifests() if found["kind"] == kind}


WORKLOADS = {
    name: Workload(manifest) for kind in ("Job", "Deployment") for name, manifest in of_kind(kind).items()
}
STAYING = ("bindery-serve", "bindery-work")
every_workload = pytest.mark.parametrize("name", WORKLOADS)
every_overlay = pytest.mark.parametrize("overlay", OVERLAYS)


def test_there_is_a_manifest_for_each_kind_of_process_and_each_file_is_used() -> None:
    assert sorted(WORKLOADS) == ["bindery-migrate", "bindery-serve", "bindery-work"]
    for folder in (BASE, *(FOLDER / "overlays" / overlay for overlay in OVERLAYS)):
        kustomization = read(folder / "kustomization.yaml")
        used = {*kustomization["resources"], "kustomization.yaml", "settings.env"}
        used |= {patch["path"] for patch in kustomization.get("patches", [])}
        assert {path.name for path in folder.iterdir()} == {name for name in used if "/" not in name}


@every_workload
def test_a_container_runs_a_command_that_the_program_has(name: str) -> None:
    container = WORKLOADS[name].container

    assert parsed(container["args"]) is not None
    assert container["name"] == container["args"][0] == name.removeprefix("bindery-")
    assert "command" not in container  # the image's own, `bindery`


@every_workload
def test_a_container_may_write_where_the_program_does_and_nowhere_else(name: str) -> None:
    workload = WORKLOADS[name]
    mounts = {mount["mountPath"]: mount for mount in workload.container["volumeMounts"]}
    volumes = {volume["name"]: volume for volume in workload.pod["volumes"]}

    assert workload.container["securityContext"]["readOnlyRootFilesystem"] is True
    assert {path for path, mount in mounts.items() if not mount.get("readOnly")} == {
        "/var/lib/bindery",
        "/tmp",
    }
    assert (
        PurePosixPath(only("VOLUME").said) in PurePosixPath(settings_of("demo")["BINDERY_DATA_DIR"]).parents
    )
    assert all("medium" not in volume.get("emptyDir", {}) for volume in volumes.values())
    assert {mount["name"] for mount in mounts.values()} == volumes.keys()


@every_workload
def test_a_pod_has_no_rights_and_no_token(name: str) -> None:
    workload = WORKLOADS[name]
    (account,) = [step.said for step in dockerfile() if step.said.startswith("useradd ")]
    pod, container = workload.pod["securityContext"], workload.container["securityContext"]

    assert pod["runAsNonRoot"] is True
    assert f"--uid {pod['runAsUser']} " in account
    assert pod["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["allowPrivilegeEscalation"] is False
    assert container["capabilities"] == {"drop": ["ALL"]}
    assert workload.pod["automountServiceAccountToken"] is False
    assert (
        of_kind("ServiceAccount")[workload.pod["serviceAccountName"]]["automountServiceAccountToken"] is False
    )


@every_workload
def test_a_container_says_what_it_needs_and_what_it_may_take(name: str) -> None:
    resources = WORKLOADS[name].container["resources"]

    assert resources.keys() == {"requests", "limits"}
    for said in resources.values():
        assert said.keys() == {"cpu", "memory", "ephemeral-storage"}


@pytest.mark.parametrize("name", STAYING)
def test_a_process_that_stays_is_asked_whether_it_lives_and_whether_it_is_ready(name: str) -> None:
    container = WORKLOADS[name].container
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    probes = {kind: container[f"{kind}Probe"] for kind in ("startup", "liveness", "readiness")}

    assert {kind: probe["httpGet"]["path"] for kind, probe in probes.items()} == {
        "startup": "/livez",
        "liveness": "/livez",
        "readiness": "/readyz",
    }
    assert {probe["httpGet"]["path"] for probe in probes.values()} <= PATHS
    assert {probe["httpGet"]["port"] for probe in probes.values()} == ports.keys()
    assert probes["readiness"]["timeoutSeconds"] > READY_WITHIN_S
    said = parsed(container["args"])
    asked = said["port"] if name == "bindery-serve" else int(settings_of("demo")["BINDERY_METRICS_PORT"])
    assert list(ports.values()) == [asked]


def test_a_pod_has_the_time_to_stop_that_the_program_needs() -> None:
    stops = {name: workload.pod["terminationGracePeriodSeconds"] for name, workload in WORKLOADS.items()}
    drains = int(settings_of("production")["BINDERY_DRAIN_SECONDS"])

    assert drains == 10
    assert f"{drains} seconds after it was told to stop" in PAGE
    assert stops["bindery-serve"] >= drains + 30 > drains + SHUTDOWN_S
    assert stops["bindery-work"] >= 90


@every_overlay
def test_the_settings_of_an_overlay_are_ones_that_the_program_starts_with(
    overlay: str, tmp_path: Path
) -> None:
    variables = settings_of(overlay) | secrets_of_the_page()

    settings = load_settings(variables, env_file=tmp_path / "none.env")

    assert unknown_variables(variables, env_file=tmp_path / "none.env") == {}
    assert settings.environment == overlay
    assert settings.metrics_token
    assert settings.presses is not None, "a pod would count the node's cores"


def test_no_secret_is_in_a_manifest() -> None:
    secret = {name for name in secrets_of_the_page() if "URL" not in name}

    assert SECRET in secret
    assert of_kind("Secret") == {}
    for file in FOLDER.rglob("*.env"):
        assert not {name for name in dotenv_values(file) if name in secrets_of_the_page()}


@every_workload
def test_the_secrets_are_where_the_program_looks_for_its_file(name: str) -> None:
    workload = WORKLOADS[name]
    (volume,) = [volume for volume in workload.pod["volumes"] if volume["name"] == "secrets"]
    (mount,) = [mount for mount in workload.container["volumeMounts"] if mount["name"] == "secrets"]

    assert mount["mountPath"] == workload.container["workingDir"]
    assert f"create secret generic {volume['secret']['secretName']} " in PAGE
    assert "--from-file=.env=bindery.env" in PAGE


def test_the_connections_that_the_page_names_are_enough_for_all_pods() -> None:
    serves = of_kind("HorizontalPodAutoscaler")["bindery-serve"]["spec"]["maxReplicas"] + 1
    works = of_kind("Deployment")["bindery-work"]["spec"]["replicas"] + 1
    pool = load_settings({}, env_file=Path("none.env")).pool_size
    (named,) = re.findall(r"`max_connections` of at least (\d+)", PAGE)

    assert int(named) >= serves * (pool + 1) + works * (pool + 1 + 5) + 10


def test_whatever_the_policies_do_not_name_is_closed() -> None:
    policies = of_kind("NetworkPolicy")
    closed = policies["nothing-else"]["spec"]

    assert closed == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    for name, policy in policies.items():
        for rule in policy["spec"].get("ingress", []):
            assert rule["from"], name
            assert rule["ports"], name
    (outside,) = policies["workers-to-the-internet"]["spec"]["egress"]
    assert {"10.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"} <= set(
        outside["to"][0]["ipBlock"]["except"]
    )


def test_a_budget_and_a_service_select_the_pods_they_are_named_for() -> None:
    services, budgets = of_kind("Service"), of_kind("PodDisruptionBudget")

    assert budgets.keys() == set(STAYING)
    for name, budget in budgets.items():
        assert budget["spec"]["selector"]["matchLabels"] == WORKLOADS[name].labels
    assert services["bindery-serve"]["spec"]["selector"] == WORKLOADS["bindery-serve"].labels
    (rule,) = of_kind("Ingress")["bindery"]["spec"]["rules"]
    (path,) = rule["http"]["paths"]
    assert path["backend"]["service"]["name"] in services


@every_overlay
def test_an_overlay_names_the_host_that_its_callers_are_told(overlay: str) -> None:
    (rule,) = of_kind("Ingress")["bindery"]["spec"]["rules"]

    assert settings_of(overlay)["BINDERY_BASE_URL"] == f"https://{rule['host']}/v2"


@every_overlay
def test_an_overlay_takes_the_image_of_this_version(overlay: str) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    (image,) = read(FOLDER / "overlays" / overlay / "kustomization.yaml")["images"]

    assert image["name"] == "bindery"
    assert image["newTag"] == version
    assert {workload.container["image"] for workload in WORKLOADS.values()} == {"bindery"}


@every_overlay
def test_an_overlay_is_rendered_with_everything_of_the_base(overlay: str) -> None:
    names = {(found["kind"], found["metadata"]["name"]) for found in manifests()}

    found = {(made["kind"], made["metadata"]["name"]): made for made in rendered(overlay)}

    assert names <= found.keys()
    (settings,) = [made for made in found.values() if made["kind"] == "ConfigMap"]
    assert settings["data"] == settings_of(overlay)
    for name in WORKLOADS:
        workload = Workload(found["Job" if name == "bindery-migrate" else "Deployment", name])
        (source,) = workload.container["envFrom"]
        assert source["configMapRef"]["name"] == settings["metadata"]["name"]
        assert workload.container["image"].endswith("bindery:0.1.0")


@every_overlay
def test_the_first_step_of_the_page_applies_what_the_migration_needs_and_no_other_process(
    overlay: str,
) -> None:
    (first,) = re.findall(r"component in \(([\w,]+)\)", PAGE)

    applied = [
        made
        for made in rendered(overlay)
        if made["metadata"]["labels"]["app.kubernetes.io/component"] in first.split(",")
    ]

    kinds = {made["kind"] for made in applied}
    assert {"Namespace", "ServiceAccount", "ConfigMap", "NetworkPolicy", "Job"} <= kinds
    assert not kinds & {"Deployment", "Ingress"}


def test_in_the_demo_api_and_worker_share_their_files() -> None:
    claims = {
        made["metadata"]["name"]: Workload(made).pod["volumes"][1]
        for made in rendered("demo")
        if made["kind"] == "Deployment"
    }

    shared = {"name": "data", "persistentVolumeClaim": {"claimName": "bindery-files"}}
    assert claims == {"bindery-serve": shared, "bindery-work": shared}
