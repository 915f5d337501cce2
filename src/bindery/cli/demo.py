"""`bindery demo`: everything in one process, ready to try."""

import asyncio
import shlex
from pathlib import Path

import msgspec
import uvicorn
from rich.panel import Panel

from bindery.actions.issue_token import issue_token
from bindery.api.app import create_app
from bindery.api.server import uvicorn_options
from bindery.base.errors import Unauthorized
from bindery.cli.common import DataOption, console, refuse, run, settings_for
from bindery.cli.processes import PortOption
from bindery.contract.examples import CREATE_QUOTES_EXAMPLE
from bindery.domain.tokens import read_token
from bindery.logs import configure_logs
from bindery.runtime import Runtime, database_dsn, running
from bindery.settings import Settings
from bindery.storage import partners
from bindery.storage.migrate import migrate
from bindery.worker.worker import run_worker

PARTNER = "demo"
BROKER = "broker@example.com"
HOST = "127.0.0.1"
TOKEN_DAYS = 365
CONCURRENCY = 20


def demo(*, port: PortOption = 8000, data: DataOption = None) -> None:
    """Run the demo until interrupted."""
    settings = settings_for(data)
    if not settings.is_demo:
        refuse("BINDERY_ENVIRONMENT is production; the demo runs in the demo environment only.")
    run(_live(settings, port))


async def _live(settings: Settings, port: int) -> None:
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    log_file = settings.data_dir / "bindery.log"
    with console.status("Starting PostgreSQL and making the tables…"):
        dsn = await asyncio.to_thread(database_dsn, settings)
        await migrate(dsn)
    configure_logs(settings.log_level, file=log_file)
    async with running(settings, dsn) as runtime:
        token = await _prepare(runtime)
        server = uvicorn.Server(
            uvicorn.Config(create_app(runtime), lifespan="off", **uvicorn_options(HOST, port))
        )
        stop = asyncio.Event()
        worker = asyncio.create_task(run_worker(runtime, concurrency=CONCURRENCY, stop=stop))
        serving = asyncio.create_task(server.serve())
        while not server.started and not serving.done():  # noqa: ASYNC110 - uvicorn offers no event
            await asyncio.sleep(0.01)
        if not serving.done():
            _greet(settings, port, token, log_file)
        await asyncio.wait({serving, worker}, return_when=asyncio.FIRST_COMPLETED)
        server.should_exit = True
        stop.set()
        await asyncio.gather(serving, worker)


async def _prepare(runtime: Runtime) -> str:
    """Have the partner, its broker and a live token ready; a second start finds them again."""
    async with runtime.database.transaction() as tx:
        partner = await partners.add_partner(tx, PARTNER)
        await partners.add_broker(tx, partner, BROKER)
    kept = runtime.settings.data_dir / "demo_token"
    if kept.is_file() and await _is_live(runtime, kept.read_text()):
        return kept.read_text()
    token = await issue_token(runtime, partner, days=TOKEN_DAYS)
    kept.touch(mode=0o600)
    kept.write_text(token)
    return token


async def _is_live(runtime: Runtime, token: str) -> bool:
    try:
        claims = read_token(
            token,
            runtime.secret,
            environment=runtime.settings.environment.claim,
            now=runtime.clock.real_now(),
        )
    except Unauthorized:
        return False
    return await runtime.access.find_partner(claims.partner_key, claims.token_id) is not None


def _greet(settings: Settings, port: int, token: str, log_file: Path) -> None:
    address = f"http://{HOST}:{port}"
    first_request = settings.data_dir / "first_request.json"
    first_request.write_bytes(msgspec.json.format(msgspec.json.encode(CREATE_QUOTES_EXAMPLE), indent=2))
    console.print(
        Panel.fit(
            f"API       {address}/v2\nDocs      {address}/docs\nHealth    {address}/v2/health_check\n"
            f"Broker    {BROKER}\nLog       {log_file}",
            title="Bindery demo",
            border_style="#0f766e",
        ),
        highlight=False,
    )
    console.print("[bold]Token[/] (partner demo)")
    # The lines to copy are printed bare: no wrapping, no markup, no colour.
    print(f"export BINDERY_TOKEN={token}\n")  # noqa: T201
    console.print("[bold]A first request[/]")
    print(  # noqa: T201
        f'curl -s {address}/v2/quotes -H "Authorization: Bearer $BINDERY_TOKEN" \\\n'
        f"  -H 'Content-Type: application/json' -d @{shlex.quote(str(first_request))}\n"
    )
    console.print("Ctrl-C stops it; the data stays, and a second start finds it again.", highlight=False)
