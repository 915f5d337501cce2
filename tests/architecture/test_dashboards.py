"""The dashboards ask for metrics, labels, operations and kinds of jobs that there are."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from tools.dashboards import DASHBOARDS, dashboard_json, expressions
from tools.promtool import promtool

from architecture.test_operations import exported
from bindery.api.operations import OPERATIONS
from bindery.domain import jobs
from support.source_tree import ROOT

FOLDER = ROOT / "deploy" / "dashboards"
EXPRESSIONS = {f"{number}: {panel}": expression for number, (panel, expression) in enumerate(expressions())}
SCRAPED = {"instance", "job"}
"""Labels that Prometheus gives to whatever it collects."""
SAMPLES = {
    **{f"{name}{end}": labels for name, (_, labels) in exported().items() for end in ("", "_sum", "_count")},
    **{
        f"{name}_bucket": (*labels, "le")
        for name, (kind, labels) in exported().items()
        if kind == "histogram"
    },
    "up": (),
}


def flaws_of(expression: str) -> list[str]:
    """What an expression asks for that no process shows."""
    selected = re.findall(r"\b((?:bindery_\w+|up)\b)(?:\{([^}]*)\})?", expression)
    flaws = [name for name, _ in selected if name not in SAMPLES]
    given = {label for name, _ in selected for label in SAMPLES.get(name, ())} | SCRAPED
    for name, matchers in selected:
        asked = re.findall(r'(\w+)(?:=~|!=|!~|=)"([^"]*)"', matchers)
        flaws += [
            f"{name}{{{label}}}" for label, _ in asked if label not in {*SAMPLES.get(name, ()), *SCRAPED}
        ]
        flaws += [value for label, said in asked for value in said.split("|") if is_unknown(label, value)]
    for by in re.findall(r"by \(([^)]*)\)", expression):
        flaws += [label for label in re.findall(r"\w+", by) if label not in given]
    return flaws


def is_unknown(label: str, value: str) -> bool:
    match label:
        case "operation":
            return value not in {operation.name for operation in OPERATIONS}
        case "kind":
            return value not in {said for said in vars(jobs).values() if isinstance(said, str)}
        case _:
            return False


@pytest.mark.parametrize("place", EXPRESSIONS)
def test_an_expression_asks_for_what_there_is(place: str) -> None:
    assert flaws_of(EXPRESSIONS[place]) == []


@pytest.mark.parametrize(
    ("expression", "flaw"),
    [
        ("sum(bindery_quotes)", "bindery_quotes"),
        ('bindery_jobs{status="failed"}', "bindery_jobs{status}"),
        ("max by (partner) (bindery_referrals)", "partner"),
        ('bindery_http_requests_total{operation="bind"}', "bind"),
        ('bindery_jobs{kind="send_letter"}', "send_letter"),
    ],
)
def test_a_seeded_flaw_is_found(expression: str, flaw: str) -> None:
    assert flaws_of(expression) == [flaw]


def test_every_metric_is_on_a_dashboard() -> None:
    asked = set(re.findall(r"bindery_\w+", " ".join(EXPRESSIONS.values())))

    shown = {re.sub(r"_(bucket|sum|count)$", "", name) for name in asked} | asked
    assert exported().keys() - shown == set()


def test_there_is_a_dashboard_for_each_question() -> None:
    assert sorted(DASHBOARDS) == ["business", "database", "queue", "service", "webhooks"]
    assert {file.stem for file in FOLDER.iterdir()} == DASHBOARDS.keys()


@pytest.mark.parametrize("name", DASHBOARDS)
def test_a_dashboard_has_panels_that_do_not_overlap_and_say_what_they_are(name: str) -> None:
    made: dict[str, Any] = json.loads(dashboard_json(name))
    panels = made["panels"]

    assert (made["uid"], made["title"]) == (f"bindery-{name}", DASHBOARDS[name].title)
    assert len({(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels}) == len(panels) >= 6
    assert all(panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in panels)
    assert len({panel["title"] for panel in panels}) == len(panels)
    for panel in panels:
        assert panel["description"].endswith(".")
        assert panel["targets"]
        for target in panel["targets"]:
            asked = re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])
            assert all(re.search(rf"by \([^)]*\b{label}\b", target["expr"]) for label in asked)


def test_promtool_reads_every_expression(tmp_path: Path) -> None:
    tool = promtool()
    if tool is None:
        pytest.skip("promtool is not here: see tools/promtool.py")
    rules = [
        {"record": f"panel:{number}", "expr": expression}
        for number, expression in enumerate(EXPRESSIONS.values())
    ]
    file = tmp_path / "rules.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))

    checked = subprocess.run([tool, "check", "rules", str(file)], capture_output=True, text=True, check=False)

    assert f"SUCCESS: {len(EXPRESSIONS)} rules found" in checked.stdout, checked.stderr
