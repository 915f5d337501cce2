"""The operators' guide knows every metric and every alarm, and what is in `deploy/` works."""

import ast
import configparser
import importlib
import pkgutil
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import REGISTRY
from tools.source_reading import parsed

import bindery.api
import bindery.worker
from architecture.test_docs import DOCS, anchors
from bindery.metrics import BACKLOG, DATABASE_UP
from bindery.settings import PREFIX, Settings
from support.scraping import scrape
from support.service import Service
from support.source_tree import ROOT, nodes_in, python_sources

GUIDE = (DOCS / "operations.md").read_text("utf-8")
DEPLOY = ROOT / "deploy"
UNITS = sorted(DEPLOY.glob("*.service"))
LEVELS = {"warning": "warning", "error": "error", "exception": "error", "critical": "critical"}


def rows_under(heading: str) -> list[list[str]]:
    """The cells of the table under a heading, without its head."""
    section = re.split(r"^#+ ", GUIDE.split(f"# {heading}\n")[1], maxsplit=1, flags=re.MULTILINE)[0]
    rows = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def alarms_in(source: str) -> Iterator[tuple[str, str]]:
    """The events that a module logs as warnings or errors, with their levels."""
    for node in nodes_in(parsed(source)):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="log"), attr=method)) if method in LEVELS:
                assert isinstance(node.args[0], ast.Constant), f"line {node.lineno}: an event is a plain text"
                yield str(node.args[0].value), LEVELS[method]
            case _:
                pass


def exported() -> dict[str, tuple[str, tuple[str, ...]]]:
    """Every metric of ours with its type and labels."""
    for package in (bindery.api, bindery.worker):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    counted = {
        metric.name + "_total" * (metric.type == "counter"): (metric.type, collector._labelnames)
        for collector in REGISTRY._collector_to_names
        if hasattr(collector, "_labelnames")
        for metric in collector.describe()  # type: ignore[attr-defined] # those with labels have it
    }
    read = {name: ("gauge", labels) for name, (_, labels) in BACKLOG.items()}
    return {**counted, DATABASE_UP: ("gauge", ()), **read}


def test_every_metric_is_in_the_guide_and_every_metric_of_the_guide_exists() -> None:
    listed = {
        name.strip("`"): (kind, tuple(re.findall(r"\w+", labels)))
        for name, kind, labels, _ in rows_under("Metrics")
    }

    assert listed == exported()
    assert len(listed) >= 24
    assert all(name.startswith("bindery_") for name in listed)


async def test_every_metric_of_the_guide_is_shown(working_service: Service) -> None:
    shown = (await scrape(working_service.http)).names

    assert {name.strip("`") for name, *_ in rows_under("Metrics")} <= shown


def test_every_alarm_is_in_the_guide_and_every_alarm_of_the_guide_exists() -> None:
    listed = [(event.strip("`"), level) for event, level, *_ in rows_under("Alarms")]

    assert listed == sorted({alarm for source in python_sources().values() for alarm in alarms_in(source)})
    assert len(listed) >= 12


def test_every_alarm_says_what_it_means_and_what_to_do() -> None:
    assert [row for row in rows_under("Alarms") if len(row) != 4 or not all(row)] == []


def test_every_logger_is_called_log_so_that_its_alarms_are_found() -> None:
    made = [
        line.strip()
        for source in python_sources().values()
        for line in source.splitlines()
        if "get_logger(" in line
    ]

    assert len(made) >= 8
    assert [line for line in made if not line.startswith("log = structlog.get_logger(")] == []


def test_a_seeded_alarm_is_found() -> None:
    source = "log.info('a')\nlog.warning('b', x=1)\nif y:\n    log.exception('c')\nlog.error('d')"

    assert list(alarms_in(source)) == [("b", "warning"), ("d", "error"), ("c", "error")]


def load(name: str) -> Any:
    return yaml.safe_load((DEPLOY / name).read_text("utf-8"))


def alerts() -> list[dict[str, Any]]:
    return [rule for group in load("alerts.yml")["groups"] for rule in group["rules"]]


@pytest.mark.parametrize("rule", alerts(), ids=lambda rule: rule["alert"])
def test_an_alert_names_metrics_that_exist_and_a_heading_of_the_guide(rule: dict[str, Any]) -> None:
    known = {f"{name}{end}" for name in exported() for end in ("", "_bucket", "_sum", "_count")} | {"up"}
    page, _, heading = rule["annotations"]["runbook"].partition("#")

    named = set(re.findall(r"\b(?:bindery_\w+|up)\b", re.sub(r'"[^"]*"', "", rule["expr"])))
    assert named
    assert named <= known
    assert rule["expr"].count("(") == rule["expr"].count(")")
    assert rule["labels"]["severity"] in {"page", "ticket"}
    assert rule["annotations"]["summary"].endswith(".")
    assert page == "docs/operations.md"
    assert heading in anchors(GUIDE)


def test_no_two_alerts_have_the_same_name() -> None:
    names = [rule["alert"] for rule in alerts()]

    assert len(set(names)) == len(names) >= 10


def test_the_example_for_prometheus_collects_api_and_worker_and_loads_the_rules() -> None:
    config = load("prometheus.yml")

    assert [job["job_name"] for job in config["scrape_configs"]] == ["bindery-api", "bindery-worker"]
    assert all((DEPLOY / name).is_file() for name in config["rule_files"])
    port = re.search(r"^BINDERY_METRICS_PORT=(\d+)$", (DEPLOY / "bindery.env").read_text(), re.MULTILINE)
    assert port
    targets = [
        target for group in config["scrape_configs"][1]["static_configs"] for target in group["targets"]
    ]
    assert all(target.endswith(f":{port[1]}") for target in targets)


def test_the_example_of_settings_names_settings_that_exist() -> None:
    named = re.findall(r"^(\w+)=", (DEPLOY / "bindery.env").read_text("utf-8"), re.MULTILINE)

    assert len(named) >= 5
    assert set(named) <= {f"{PREFIX}{setting.name.upper()}" for setting in fields(Settings)}


def read_unit(path: Path) -> configparser.ConfigParser:
    # A key that is given twice is taken for a mistake; systemd would take the last or both.
    unit = configparser.ConfigParser(interpolation=None, delimiters=("=",), comment_prefixes=("#",))
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(path, "utf-8")
    return unit


def test_there_is_a_unit_for_each_kind_of_process() -> None:
    assert [path.stem for path in UNITS] == ["bindery-migrate", "bindery-serve", "bindery-work"]


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
def test_a_unit_runs_as_an_account_of_its_own_that_may_touch_little(path: Path) -> None:
    service = read_unit(path)["Service"]

    assert service["User"] == service["Group"] == "bindery"
    assert service["EnvironmentFile"] == "/etc/bindery/bindery.env"
    assert {service[key] for key in ("NoNewPrivileges", "ProtectHome", "PrivateTmp")} == {"yes"}
    assert (service["ProtectSystem"], service["UMask"]) == ("strict", "0077")


@pytest.mark.parametrize(
    "path", [path for path in UNITS if path.stem != "bindery-migrate"], ids=lambda p: p.stem
)
def test_a_unit_that_stays_is_started_again_for_ever_and_has_room_for_connections(path: Path) -> None:
    unit = read_unit(path)

    assert unit["Service"]["Restart"] == "always"
    assert unit["Unit"]["StartLimitIntervalSec"] == "0"
    assert int(unit["Service"]["LimitNOFILE"]) >= 65_536
    assert "| time to stop | `TimeoutStopSec` | 40 s for the API, 90 s for a worker |" in GUIDE
    assert unit["Service"]["TimeoutStopSec"] == {"serve": "40", "work": "90"}[path.stem.partition("-")[2]]


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
def test_a_unit_is_right_in_the_eyes_of_systemd(path: Path, tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd is not installed here; the other tests have read the unit")
    text = path.read_text("utf-8").replace("/opt/bindery/.venv/bin/bindery", sys.executable)
    (tmp_path / path.name).write_text(text)

    checked = subprocess.run(
        [analyze, "verify", str(tmp_path / path.name)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert [line for line in checked.stderr.splitlines() if path.name in line] == []
