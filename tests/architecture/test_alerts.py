"""Each alert is seen to fire on what it is for, and to stay silent just before."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from tools.promtool import promtool

from support.source_tree import ROOT

RULES = ROOT / "deploy" / "alerts.yml"
ALERTS: dict[str, dict[str, Any]] = {
    rule["alert"]: rule
    for group in yaml.safe_load(RULES.read_text("utf-8"))["groups"]
    for rule in group["rules"]
}
Series = dict[str, str]
API = 'instance="api-1:8000",job="bindery-api"'
WORKER = 'instance="worker-1:9401",job="bindery-worker"'


@dataclass(frozen=True, kw_only=True)
class Fires:
    """An alert, the figures minute by minute on which it fires, and those on which it must not."""

    alert: str
    at: str
    figures: Series
    summary: str
    labels: dict[str, str] = field(default_factory=dict)
    silent: Sequence[tuple[str, Series]]


def requests(good: int, failed: int) -> Series:
    return {
        f'bindery_http_requests_total{{{API},operation="create_quotes",status="200"}}': f"0+{good}x30",
        f'bindery_http_requests_total{{{API},operation="create_quotes",status="503"}}': f"0+{failed}x30",
    }


def scans(good: int, failed: int) -> Series:
    return {
        f'bindery_scans_total{{{WORKER},outcome="finished"}}': f"0+{good}x60",
        f'bindery_scans_total{{{WORKER},outcome="failed"}}': f"0+{failed}x60",
    }


def lag(within_a_quarter: int) -> Series:
    return {
        f'bindery_loop_lag_seconds_bucket{{{API},le="{le}"}}': f"0+{count}x30"
        for le, count in (("0.1", 90), ("0.25", within_a_quarter), ("1", 100), ("+Inf", 100))
    }


def ready(within_40_s: int) -> Series:
    return {
        f'bindery_quote_ready_seconds_bucket{{{WORKER},product="cyb",le="{le}"}}': f"0+{count}x60"
        for le, count in (("30", 0), ("40", within_40_s), ("60", 100), ("+Inf", 100))
    }


def pool(waiting: int, in_use: int) -> Series:
    return {
        f"bindery_pool_waiting{{{API}}}": f"{waiting}x10",
        f"bindery_pool_connections_in_use{{{API}}}": f"{in_use}x10",
        f"bindery_pool_connections_max{{{API}}}": "10x10",
    }


def steady(name: str, labels: str, value: int, minutes: int = 10) -> Series:
    return {f"{name}{{{labels}}}": f"{value}x{minutes}"}


def token_expires(process: str, seconds: int, partner: str = "harbor") -> Series:
    return steady("bindery_token_expires_seconds", f'{process},partner="{partner}"', seconds)


def binder_mark(process: str, seconds: int) -> Series:
    return steady("bindery_binder_mark_seconds", f'{process},binder="SAMPLE-2027",mark="75"', seconds)


def disk(process: str, free: int) -> Series:
    return {
        **steady("bindery_data_free_bytes", process, free, minutes=20),
        **steady("bindery_data_size_bytes", process, 1_000, minutes=20),
    }


IS_DOWN = steady("up", API, 0)
ONE_OF_TWO_DATABASES = {
    **steady("bindery_database_up", API, 1),
    **steady("bindery_database_up", WORKER, 0),
}
CASES = (
    Fires(
        alert="BinderyProcessDown",
        at="2m",
        figures=IS_DOWN,
        labels={"instance": "api-1:8000", "job": "bindery-api"},
        summary="api-1:8000 does not answer.",
        silent=[
            ("1m", IS_DOWN),
            ("10m", steady("up", API, 1)),
            ("10m", steady("up", 'instance="db:9187",job="postgres"', 0)),
        ],
    ),
    Fires(
        alert="BinderyNoWorker",
        at="2m",
        figures=steady("up", WORKER, 0),
        summary="No worker is running; quotes stay unpriced.",
        silent=[
            ("1m", steady("up", WORKER, 0)),
            (
                "10m",
                {
                    **steady("up", WORKER, 0),
                    **steady("up", 'instance="worker-2:9401",job="bindery-worker"', 1),
                },
            ),
        ],
    ),
    Fires(
        alert="BinderyDatabaseDown",
        at="1m",
        figures=ONE_OF_TWO_DATABASES,
        summary="A process gets no answer from the database.",
        silent=[("0m", ONE_OF_TWO_DATABASES), ("10m", steady("bindery_database_up", API, 1))],
    ),
    Fires(
        alert="BinderyErrors",
        at="15m",
        figures=requests(980, 20),
        summary="More than 1 in 100 requests are answered with a 5xx.",
        silent=[("3m", requests(980, 20)), ("15m", requests(991, 9))],
    ),
    Fires(
        alert="BinderyJobsFailed",
        at="5m",
        figures=steady("bindery_jobs", f'{WORKER},kind="finish_bind",state="failed"', 3),
        labels={"kind": "finish_bind"},
        summary="3 jobs of kind finish_bind have failed for good.",
        silent=[
            ("4m", steady("bindery_jobs", f'{WORKER},kind="finish_bind",state="failed"', 3)),
            ("10m", steady("bindery_jobs", f'{WORKER},kind="finish_bind",state="waiting"', 3)),
        ],
    ),
    Fires(
        alert="BinderyQueueLate",
        at="5m",
        figures=steady("bindery_job_oldest_seconds", f'{WORKER},kind="send_mail"', 301),
        labels={"kind": "send_mail"},
        summary="A send_mail job has been due for 5m 1s.",
        silent=[
            ("4m", steady("bindery_job_oldest_seconds", f'{WORKER},kind="send_mail"', 301)),
            ("10m", steady("bindery_job_oldest_seconds", f'{WORKER},kind="send_mail"', 300)),
        ],
    ),
    Fires(
        alert="BinderyDeliveriesLate",
        at="5m",
        figures=steady("bindery_delivery_oldest_seconds", f'{WORKER},webhook="healthy"', 301),
        summary="Deliveries to working webhooks are delayed.",
        silent=[
            ("10m", steady("bindery_delivery_oldest_seconds", f'{WORKER},webhook="healthy"', 300)),
            ("10m", steady("bindery_delivery_oldest_seconds", f'{WORKER},webhook="failing"', 9_000)),
        ],
    ),
    Fires(
        alert="BinderyWebhookFailing",
        at="60m",
        figures=steady("bindery_deliveries", f'{WORKER},webhook="failing"', 1, minutes=70),
        summary="A partner's webhook is failing or was disabled.",
        silent=[
            ("59m", steady("bindery_deliveries", f'{WORKER},webhook="failing"', 1, minutes=70)),
            ("70m", steady("bindery_deliveries", f'{WORKER},webhook="healthy"', 1, minutes=70)),
            ("70m", steady("bindery_webhooks_disabled", WORKER, 0, minutes=70)),
        ],
    ),
    Fires(
        alert="BinderyWebhookFailing",
        at="60m",
        figures=steady("bindery_webhooks_disabled", WORKER, 1, minutes=70),
        summary="A partner's webhook is failing or was disabled.",
        silent=[],
    ),
    Fires(
        alert="BinderyMailUnsent",
        at="1m",
        figures=steady("bindery_mail_oldest_seconds", WORKER, 3_601),
        summary="A mail has been unsent for 1h 0m 1s.",
        silent=[("10m", steady("bindery_mail_oldest_seconds", WORKER, 3_600))],
    ),
    Fires(
        alert="BinderyDeskWaits",
        at="1m",
        figures=steady("bindery_desk_oldest_working_seconds", API, 172_801),
        summary="A case on the desk has waited for 2d 0h 0m 1s of working days.",
        silent=[
            ("10m", steady("bindery_desk_oldest_working_seconds", API, 172_800)),
            ("10m", steady("bindery_referral_oldest_seconds", API, 345_600)),
        ],
    ),
    Fires(
        alert="BinderyDeskLate",
        at="240m",
        figures=steady("bindery_desk_late", API, 2, minutes=250),
        summary="2 cases on the desk are late.",
        silent=[
            ("239m", steady("bindery_desk_late", API, 2, minutes=250)),
            ("250m", steady("bindery_desk_late", API, 0, minutes=250)),
        ],
    ),
    Fires(
        alert="BinderyTokenExpires",
        at="1m",
        figures={
            **token_expires(API, 1_209_599),
            **token_expires(WORKER, 1_209_599),
            **token_expires(API, 1_209_600, partner="quarry"),
        },
        labels={"partner": "harbor"},
        summary="The last token of partner harbor expires in 13d 23h 59m 59s.",
        silent=[("10m", token_expires(API, 1_209_600))],
    ),
    Fires(
        alert="BinderyBinderNearLimit",
        at="1m",
        figures={**binder_mark(API, 0), **binder_mark(WORKER, 0)},
        labels={"binder": "SAMPLE-2027", "mark": "75"},
        summary="Binder SAMPLE-2027 has used 75 % of its premium limit.",
        # Premium was given back: the series is gone, and the alert with it.
        silent=[("10m", steady("bindery_database_up", API, 1)), ("20m", binder_mark(API, 60))],
    ),
    Fires(
        alert="BinderyDiskFull",
        at="10m",
        figures={**disk(API, free=99), **disk(WORKER, free=100)},
        labels={"instance": "api-1:8000", "job": "bindery-api"},
        summary="api-1:8000 has less than a tenth of the data folder's disk left.",
        silent=[("9m", disk(API, free=99)), ("15m", disk(API, free=100))],
    ),
    Fires(
        alert="BinderyQuotesSlow",
        at="60m",
        figures=ready(within_40_s=80),
        summary="Nine of ten options take 50s to be ready; 40 seconds are promised.",
        silent=[("10m", ready(within_40_s=80)), ("60m", ready(within_40_s=90))],
    ),
    Fires(
        alert="BinderyScansFail",
        at="40m",
        figures=scans(79, 21),
        summary="More than 1 in 5 scans fail; workers may have lost DNS or the internet.",
        silent=[("10m", scans(79, 21)), ("40m", scans(81, 19))],
    ),
    Fires(
        alert="BinderyPoolExhausted",
        at="2m",
        figures=pool(1, 10),
        labels={"instance": "api-1:8000", "job": "bindery-api"},
        summary="api-1:8000 waits for database connections.",
        silent=[("1m", pool(1, 10)), ("10m", pool(1, 9)), ("10m", pool(0, 10))],
    ),
    Fires(
        alert="BinderyLoopLag",
        at="15m",
        figures=lag(98),
        labels={"instance": "api-1:8000"},
        summary="api-1:8000 is too busy to answer promptly.",
        silent=[("3m", lag(98)), ("15m", lag(100))],
    ),
)


def tried(alert: str, at: str, figures: Series, expected: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "interval": "1m",
        "input_series": [{"series": series, "values": values} for series, values in figures.items()],
        "alert_rule_test": [{"eval_time": at, "alertname": alert, "exp_alerts": expected}],
    }


def firing(case: Fires) -> dict[str, Any]:
    rule = ALERTS[case.alert]
    return {
        "exp_labels": {**case.labels, **rule["labels"]},
        "exp_annotations": {"summary": case.summary, "runbook": rule["annotations"]["runbook"]},
    }


def run(rules: Path, folder: Path, *tests: dict[str, Any]) -> str:
    """Have promtool try the rules, and return what was not as expected."""
    tool = promtool()
    if tool is None:
        pytest.skip("promtool is not here: see tools/promtool.py")
    file = folder / "tests.yml"
    plan = {"rule_files": [str(rules)], "evaluation_interval": "1m", "tests": list(tests)}
    file.write_text(yaml.safe_dump(plan))
    done = subprocess.run([tool, "test", "rules", str(file)], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_every_alert_is_tried_both_ways() -> None:
    fires = {case.alert for case in CASES}
    silent = {case.alert for case in CASES if case.silent}

    assert fires == silent == ALERTS.keys()


@pytest.mark.parametrize("alert", ALERTS)
def test_an_alert_fires_and_stays_silent_just_before(alert: str, tmp_path: Path) -> None:
    cases = [case for case in CASES if case.alert == alert]
    loud = [tried(alert, case.at, case.figures, [firing(case)]) for case in cases]
    quiet = [tried(alert, at, figures, []) for case in cases for at, figures in case.silent]

    assert run(RULES, tmp_path, *loud, *quiet) == ""


def test_an_alert_that_waits_for_another_figure_is_found(tmp_path: Path) -> None:
    rules = tmp_path / "alerts.yml"
    rules.write_text(RULES.read_text("utf-8").replace("bindery_mail_oldest_seconds) > 3600", "up) > 3600"))
    (case,) = [case for case in CASES if case.alert == "BinderyMailUnsent"]

    assert "BinderyMailUnsent" in run(
        rules, tmp_path, tried(case.alert, case.at, case.figures, [firing(case)])
    )


def test_the_rules_pass_their_checker() -> None:
    tool = promtool()
    if tool is None:
        pytest.skip("promtool is not here: see tools/promtool.py")

    checked = subprocess.run(
        [tool, "check", "rules", str(RULES)], capture_output=True, text=True, check=False
    )

    assert f"SUCCESS: {len(ALERTS)} rules found" in checked.stdout
