"""Webhooks of all partners: how they fare, and the steps of the operators' page."""

import uuid
from pathlib import Path
from typing import Annotated

import typer

from bindery.actions.webhooks.steer_webhook import WebhookStep, steer_webhook
from bindery.cli import common
from bindery.cli.stored import read, show_records, with_runtime
from bindery.storage.database import Reader
from bindery.storage.operations import overview
from bindery.storage.operations.overview import ListedWebhook

app = typer.Typer(no_args_is_help=True)

Id = Annotated[uuid.UUID, typer.Argument(metavar="ID")]
MOST = 1_000


@app.command("list", help="List webhooks: failing ones first.")
def list_webhooks(*, data: common.DataOption = None, as_json: common.JsonOption = False) -> None:
    async def work(tx: Reader) -> list[ListedWebhook]:
        return list((await overview.list_webhooks(tx, cursor=None, limit=MOST)).rows)

    show_records(
        read(data, work),
        {
            "ID": lambda record: str(record.webhook_id),
            "PARTNER": lambda record: record.partner_name,
            "ENDPOINT": lambda record: record.endpoint,
            "STATE": _state,
            "WAITING": lambda record: f"{record.pending:,}",
        },
        nothing="No partner has registered a webhook.",
        as_json=as_json,
    )


@app.command("send-waiting", help="Send everything now that waits for a later try, in order.")
def send_waiting(webhook_id: Id, *, data: common.DataOption = None) -> None:
    _steer(data, webhook_id, WebhookStep.FLUSH)


@app.command("pause", help="Send nothing until it is resumed; events are kept.")
def pause(webhook_id: Id, *, data: common.DataOption = None) -> None:
    _steer(data, webhook_id, WebhookStep.PAUSE)


@app.command("resume", help="Send again: first what was kept, in order.")
def resume(webhook_id: Id, *, data: common.DataOption = None) -> None:
    _steer(data, webhook_id, WebhookStep.RESUME)


@app.command("disable", help="Send nothing more, and tell the partner by mail.")
def disable(webhook_id: Id, *, data: common.DataOption = None) -> None:
    _steer(data, webhook_id, WebhookStep.DISABLE)


@app.command("enable", help="Enable a disabled webhook, as if its partner had registered it again.")
def enable(webhook_id: Id, *, data: common.DataOption = None) -> None:
    _steer(data, webhook_id, WebhookStep.ENABLE)


def _steer(data: Path | None, webhook_id: uuid.UUID, step: WebhookStep) -> None:
    said = with_runtime(
        data,
        lambda runtime: steer_webhook(runtime.database, runtime.rules, webhook_id, step, by=common.doer()),
    )
    common.say(said)


def _state(record: ListedWebhook) -> str:
    if record.disabled_because is not None:
        return f"disabled: {record.disabled_because}"
    if record.paused_by is not None:
        return f"paused by {record.paused_by}"
    return "failing" if record.failing_since is not None else "active"
