"""Every expression of the dashboards and the alerts parses in the eyes of a parser of PromQL."""

import json
from pathlib import Path

import pytest
import yaml
from tools.dashboards import expressions

from support.client_tools import run_tool
from support.source_tree import ROOT

PARSE = """
import json, sys
import promql_parser
for expression in json.load(sys.stdin):
    try:
        promql_parser.parse(expression)
    except ValueError as fault:
        print(expression, fault)
"""
ALERTS = yaml.safe_load((ROOT / "deploy" / "alerts.yml").read_text("utf-8"))


def unread(asked: list[str], folder: Path) -> str:
    file = folder / "asked.json"
    file.write_text(json.dumps(asked))
    parsed = run_tool("python", "-c", PARSE.replace("sys.stdin", f"open({str(file)!r})"), folder=folder)
    assert parsed.returncode == 0, parsed.stderr
    return parsed.stdout


def test_every_expression_parses(tmp_path: Path) -> None:
    alerts = [rule["expr"] for group in ALERTS["groups"] for rule in group["rules"]]
    panels = [expression for _, expression in expressions()]

    assert len(alerts) >= 13
    assert len(panels) >= 40
    assert unread([*alerts, *panels], tmp_path) == ""


@pytest.mark.parametrize("expression", ["sum by kind (bindery_jobs)", "rate(bindery_jobs)", "bindery_jobs{"])
def test_an_expression_that_is_none_is_found(expression: str, tmp_path: Path) -> None:
    assert expression in unread([expression], tmp_path)
