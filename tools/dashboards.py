"""Grafana's dashboards, written from the panels below: `make docs` writes `deploy/dashboards/*.json`.

A panel is a question, the unit of its answer, and expressions over the metrics of `metrics.py`. Figures read
from the database are the same in every process: take `max`, never `sum`. Rates are over five minutes, so that
one missed scrape leaves no hole.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

COLUMNS: Final = 3
WIDTH: Final = 24 // COLUMNS
HEIGHT: Final = 8
SCHEMA: Final = 39
"""Of Grafana 11; newer ones bring it up to their own."""
SOURCE: Final = {"type": "prometheus", "uid": "${datasource}"}


@dataclass(frozen=True)
class Panel:
    title: str
    says: str
    unit: str
    shown: Sequence[tuple[str, str]]
    """Expressions, each with the name of its lines."""


@dataclass(frozen=True)
class Dashboard:
    title: str
    panels: Sequence[Panel]


def percentile(share: float, metric: str, by: str, having: str = "") -> str:
    return f"histogram_quantile({share}, sum by (le, {by}) (rate({metric}_bucket{having}[5m])))"


def rate(metric: str, by: str = "", having: str = "") -> str:
    return f"sum{f' by ({by})' if by else ''} (rate({metric}{having}[5m]))"


def at_hand(metric: str) -> str:
    return f"sum by (instance) ({metric})"


def newest(metric: str, by: str = "", having: str = "") -> str:
    return f"max{f' by ({by})' if by else ''} ({metric}{having})"


REQUESTS: Final = "bindery_http_requests_total"
SECONDS: Final = "bindery_http_request_seconds"
JOBS: Final = "bindery_job_seconds"
FAILED: Final = '{status=~"5.."}'
SUBMITTED: Final = '{operation="create_quotes",status=~"2.."}'
BOUND: Final = '{operation="bind_quote",status=~"2.."}'

SERVICE: Final = Dashboard(
    "Bindery: service",
    (
        Panel(
            "Requests by status",
            "Answered a second. 5xx should be nothing; 499 are callers who left.",
            "reqps",
            [(rate(REQUESTS, "status"), "{{status}}")],
        ),
        Panel(
            "Share of 5xx",
            "Over 1 % for five minutes wakes somebody.",
            "percentunit",
            [(f"{rate(REQUESTS, having=FAILED)} / {rate(REQUESTS)}", "5xx")],
        ),
        Panel(
            "Requests by operation",
            "Which part of the API and the pages is used.",
            "reqps",
            [(f"topk(10, {rate(REQUESTS, 'operation')})", "{{operation}}")],
        ),
        Panel(
            "Time to answer, 95 in 100 within",
            "To the last byte; requests that wait for a quote take as long as they asked for.",
            "s",
            [(f"topk(10, {percentile(0.95, SECONDS, 'operation')})", "{{operation}}")],
        ),
        Panel(
            "Time to take a submission",
            "POST /v2/quotes: half, 95 and 99 in 100 within.",
            "s",
            [
                (percentile(share, SECONDS, "operation", '{operation="create_quotes"}'), f"{share:.0%}")
                for share in (0.5, 0.95, 0.99)
            ],
        ),
        Panel(
            "How late the event loop is",
            "99 in 100 within, by process; over 0.1 s it is too busy, over 0.25 s there is an alert.",
            "s",
            [(percentile(0.99, "bindery_loop_lag_seconds", "instance"), "{{instance}}")],
        ),
        Panel(
            "Connections",
            "Held open by callers, and the requests among them that wait for a quote.",
            "short",
            [("sum (bindery_http_connections)", "open"), ("sum (bindery_long_polls)", "waiting for a quote")],
        ),
        Panel(
            "Connections closed by the service",
            "By reason; all but idle ones are callers who were too slow, or too many.",
            "ops",
            [(rate("bindery_connections_closed_total", "reason"), "{{reason}}")],
        ),
        Panel(
            "Processes",
            "That answer Prometheus.",
            "short",
            [('sum by (job) (up{job=~"bindery-.*"})', "{{job}}")],
        ),
        Panel(
            "Disk left for the data folder",
            "Share of it that is free, by process; under a tenth a ticket is written.",
            "percentunit",
            [
                (
                    "min by (instance) (bindery_data_free_bytes / bindery_data_size_bytes)",
                    "{{instance}}",
                )
            ],
        ),
        Panel(
            "Tokens that expire",
            "Until the last token of a partner ends and its requests get 401; two weeks before, a ticket is "
            "written. Empty while none ends within 60 days.",
            "s",
            [("min by (partner) (bindery_token_expires_seconds)", "{{partner}}")],
        ),
        Panel(
            "Binders near their limit",
            "How long each mark of a premium limit has been reached, by binder and percent; a ticket is "
            "written at once. Empty while no binder has reached any.",
            "s",
            [("max by (binder, mark) (bindery_binder_mark_seconds)", "{{binder}} {{mark}} %")],
        ),
    ),
)

QUEUE: Final = Dashboard(
    "Bindery: queue",
    (
        Panel(
            "Jobs that wait",
            "By kind; 10,000 means that many or more.",
            "short",
            [(newest("bindery_jobs", "kind", '{state="waiting"}'), "{{kind}}")],
        ),
        Panel(
            "Oldest job",
            "How long it has been due and not begun; over five minutes wakes somebody. Start another worker.",
            "s",
            [(newest("bindery_job_oldest_seconds", "kind"), "{{kind}}")],
        ),
        Panel(
            "Jobs that failed for good",
            "They stay until somebody retries them: bindery jobs list --status failed.",
            "short",
            [(newest("bindery_jobs", "kind", '{state="failed"}'), "{{kind}}")],
        ),
        Panel(
            "Jobs done",
            "A second, by kind.",
            "ops",
            [(rate(f"{JOBS}_count", "kind", '{outcome="done"}'), "{{kind}}")],
        ),
        Panel(
            "Jobs not done",
            "Tried again, held up by an outage, or failed.",
            "ops",
            [(rate(f"{JOBS}_count", "outcome", '{outcome!="done"}'), "{{outcome}}")],
        ),
        Panel(
            "Time of a job",
            "95 in 100 within, by kind.",
            "s",
            [(percentile(0.95, JOBS, "kind"), "{{kind}}")],
        ),
        Panel(
            "Jobs under way",
            "By kind; near --concurrency of all workers together they are the limit.",
            "short",
            [(newest("bindery_jobs", "kind", '{state="running"}'), "{{kind}}")],
        ),
        Panel(
            "Scans",
            "Of domains, a second, by how they ended.",
            "ops",
            [(rate("bindery_scans_total", "outcome"), "{{outcome}}")],
        ),
        Panel(
            "Submissions taken up together",
            "On average; near 32 the API is at its limit.",
            "short",
            [
                (
                    f"{rate('bindery_group_commit_size_sum')} / {rate('bindery_group_commit_size_count')}",
                    "in one commit",
                )
            ],
        ),
    ),
)

DATABASE: Final = Dashboard(
    "Bindery: database",
    (
        Panel(
            "Database answers",
            "1 where it answered a process within two seconds.",
            "short",
            [("min by (instance) (bindery_database_up)", "{{instance}}")],
        ),
        Panel(
            "Tasks that wait for a connection",
            "Over 0 for long: raise BINDERY_POOL_SIZE, or the database is slow.",
            "short",
            [(at_hand("bindery_pool_waiting"), "{{instance}}")],
        ),
        Panel(
            "Connections at work",
            "Of the pool of each process.",
            "percentunit",
            [
                (
                    at_hand("bindery_pool_connections_in_use")
                    + " / "
                    + at_hand("bindery_pool_connections_max"),
                    "{{instance}}",
                )
            ],
        ),
        Panel(
            "Connections held open",
            "By all pools, and how many there may be; keep room for listeners and the queue's own.",
            "short",
            [
                ("sum (bindery_pool_connections)", "open"),
                ("sum (bindery_pool_connections_max)", "at most"),
            ],
        ),
        Panel(
            "Requests answered 503",
            "What callers see of an outage.",
            "reqps",
            [(rate(REQUESTS, "operation", '{status="503"}'), "{{operation}}")],
        ),
        Panel(
            "Jobs held up",
            "By an outage of the database or of the store of files.",
            "ops",
            [(rate(f"{JOBS}_count", "kind", '{outcome="held_up"}'), "{{kind}}")],
        ),
    ),
)

WEBHOOKS: Final = Dashboard(
    "Bindery: webhooks and mail",
    (
        Panel(
            "Deliveries that wait",
            "By how their webhook is.",
            "short",
            [(newest("bindery_deliveries", "webhook"), "{{webhook}}")],
        ),
        Panel(
            "Oldest delivery",
            "How long it has been due; to a healthy webhook, over five minutes wakes somebody.",
            "s",
            [(newest("bindery_delivery_oldest_seconds", "webhook"), "{{webhook}}")],
        ),
        Panel(
            "Webhooks disabled",
            "Their partners have to be called.",
            "short",
            [(newest("bindery_webhooks_disabled"), "disabled")],
        ),
        Panel(
            "Mails unsent",
            "10,000 means that many or more.",
            "short",
            [(newest("bindery_mails_unsent"), "unsent")],
        ),
        Panel(
            "Oldest unsent mail",
            "Over an hour is a ticket.",
            "s",
            [(newest("bindery_mail_oldest_seconds"), "oldest")],
        ),
        Panel(
            "Mail jobs",
            "A second, by how they ended.",
            "ops",
            [(rate(f"{JOBS}_count", "outcome", '{kind="send_mail"}'), "{{outcome}}")],
        ),
        Panel(
            "Feed and deliveries read by partners",
            "A second: who reads the feed does not depend on webhooks.",
            "reqps",
            [
                (
                    rate(REQUESTS, "operation", '{operation=~"list_events|list_deliveries"}'),
                    "{{operation}}",
                )
            ],
        ),
    ),
)

BUSINESS: Final = Dashboard(
    "Bindery: business",
    (
        Panel(
            "Submissions an hour",
            "Accepted requests for quotes.",
            "short",
            [(f"3600 * {rate(REQUESTS, having=SUBMITTED)}", "submissions")],
        ),
        Panel(
            "Binds an hour",
            "Accepted requests to bind over the API; binds on the pages are on the operators' overview.",
            "short",
            [(f"3600 * {rate(REQUESTS, having=BOUND)}", "binds")],
        ),
        Panel(
            "Submissions refused",
            "Share answered 4xx: a partner may have changed its program.",
            "percentunit",
            [
                (
                    rate(REQUESTS, having='{operation="create_quotes",status=~"4.."}')
                    + " / "
                    + rate(REQUESTS, having='{operation="create_quotes"}'),
                    "refused",
                )
            ],
        ),
        Panel(
            "Time until an option is ready",
            "Nine in ten within, by product; 40 seconds are what partners are told.",
            "s",
            [(percentile(0.9, "bindery_quote_ready_seconds", "product"), "{{product}}")],
        ),
        Panel(
            "Referrals",
            "Quotes that wait for an underwriter.",
            "short",
            [(newest("bindery_referrals"), "referrals")],
        ),
        Panel(
            "Oldest referral",
            "By the calendar; after 60 days it goes stale.",
            "s",
            [(newest("bindery_referral_oldest_seconds"), "oldest")],
        ),
        Panel(
            "Bind requests",
            "Binds that wait for an underwriter.",
            "short",
            [(newest("bindery_bind_requests"), "bind requests")],
        ),
        Panel(
            "Oldest bind request",
            "By the calendar; it waits until an underwriter decides.",
            "s",
            [(newest("bindery_bind_request_oldest_seconds"), "oldest")],
        ),
        Panel(
            "Late cases",
            "On the desk past the time by which they are to be answered; any for four hours are a ticket.",
            "short",
            [(newest("bindery_desk_late"), "late")],
        ),
        Panel(
            "Wait for the desk",
            "Of the case that is due first, without Saturdays and Sundays; after two days there is a ticket.",
            "s",
            [(newest("bindery_desk_oldest_working_seconds"), "due first")],
        ),
        Panel(
            "Documents and uploads an hour",
            "Over the API.",
            "short",
            [
                (
                    "3600 * "
                    + rate(REQUESTS, "operation", '{operation=~"download_document|upload_document"}'),
                    "{{operation}}",
                )
            ],
        ),
    ),
)

DASHBOARDS: Final = {
    "service": SERVICE,
    "queue": QUEUE,
    "database": DATABASE,
    "webhooks": WEBHOOKS,
    "business": BUSINESS,
}


def expressions() -> Iterator[tuple[str, str]]:
    """Yield every expression with the name of its panel."""
    for dashboard in DASHBOARDS.values():
        for panel in dashboard.panels:
            for expression, _ in panel.shown:
                yield f"{dashboard.title}, {panel.title}", expression


def dashboard_json(name: str) -> str:
    """Return one dashboard as Grafana reads it."""
    dashboard = DASHBOARDS[name]
    made = {
        "uid": f"bindery-{name}",
        "title": dashboard.title,
        "description": "Written by tools/dashboards.py; change it there.",
        "tags": ["bindery"],
        "schemaVersion": SCHEMA,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "timezone": "browser",
        "links": [
            {
                "type": "dashboards",
                "title": "Bindery",
                "tags": ["bindery"],
                "asDropdown": True,
                "keepTime": True,
            }
        ],
        "templating": {
            "list": [
                {"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Prometheus"}
            ]
        },
        "panels": [_panel(number, panel) for number, panel in enumerate(dashboard.panels)],
    }
    return json.dumps(made, indent=2) + "\n"


def _panel(number: int, panel: Panel) -> dict[str, Any]:
    row, column = divmod(number, COLUMNS)
    return {
        "id": number + 1,
        "type": "timeseries",
        "title": panel.title,
        "description": panel.says,
        "datasource": SOURCE,
        "gridPos": {"h": HEIGHT, "w": WIDTH, "x": column * WIDTH, "y": row * HEIGHT},
        "fieldConfig": {
            "defaults": {"unit": panel.unit, "min": 0, "custom": {"fillOpacity": 10, "showPoints": "never"}},
            "overrides": [],
        },
        "options": {
            "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True},
            "tooltip": {"mode": "multi", "sort": "desc"},
        },
        "targets": [
            {"refId": chr(ord("A") + place), "datasource": SOURCE, "expr": expression, "legendFormat": legend}
            for place, (expression, legend) in enumerate(panel.shown)
        ],
    }
