"""`bindery demo`: everything in one process, ready to try."""

import asyncio
import fcntl
import shlex
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Annotated

import msgspec
import structlog
import typer
import uvicorn

from bindery.actions.access.issue_token import issue_token
from bindery.actions.documents.find_seal_key import ensure_seal_key
from bindery.actions.policy.import_binder import import_binder
from bindery.base.errors import DatabaseUnreachable, Misconfigured, Unauthorized
from bindery.base.memory import keep_for_good
from bindery.base.private_files import make_private_folder, write_private
from bindery.cli import common
from bindery.cli.progress import progress_bar
from bindery.cli.sample.applicants import BROKERAGES
from bindery.cli.sample.fill import fill_with_samples
from bindery.cli.starting import HostOption, PortOption
from bindery.contract.examples import CREATE_QUOTES_EXAMPLE
from bindery.domain.access.tokens import read_token
from bindery.domain.access.users import Role
from bindery.logs import configure_logs
from bindery.outside import embedded_postgres
from bindery.outside.traces import exporting_traces
from bindery.own_database import database_dsn
from bindery.runtime import Runtime, running
from bindery.server.app import create_app
from bindery.server.serve import Server, listening_socket, uvicorn_options
from bindery.settings import CLAIMS, Settings
from bindery.storage.access import partners, users
from bindery.storage.database import UNAVAILABLE
from bindery.storage.migrate import migrate
from bindery.storage.policy import binders
from bindery.web.account.signing_in import DEMO_PEOPLE
from bindery.worker.worker import run_worker

PARTNER = "demo"
LOCK_FILE = "demo.lock"
BROKER = "broker@example.com"
HOST = "127.0.0.1"
TOKEN_DAYS = 365
CONCURRENCY = 20
PAUSE_S = 0.5

log = structlog.get_logger()


def demo(
    *,
    host: HostOption = HOST,
    port: PortOption = 8000,
    with_data: Annotated[
        bool,
        typer.Option("--with-data", help="Fill an empty demo with 200 invented companies in all statuses."),
    ] = False,
    data: common.DataOption = None,
) -> None:
    """Run the demo until interrupted.

    Example: bindery demo --with-data --port 8001
    """
    settings = common.settings_of_process(data)
    if not settings.is_demo:
        common.refuse("BINDERY_ENVIRONMENT is production; the demo runs in the demo environment only.")
    with _alone_on(settings), _listening(host, port) as listening:
        common.run(
            _live(
                common.at_address(settings, f"http://{HOST}:{port}/v2"), listening, port, with_data=with_data
            )
        )
    common.console.print("\nStopped.")
    if not settings.database_url:
        if embedded_postgres.stop_unless_used(settings.data_dir):
            common.say("PostgreSQL is stopped too; commands that need it start it.")
        else:
            common.say(
                "PostgreSQL keeps running for the others that use it, and ends ten minutes after the last."
            )


@contextmanager
def _alone_on(settings: Settings) -> Iterator[None]:
    """Lock the data folder: a second demo on it would take the first one's address away from the commands."""
    make_private_folder(settings.data_dir)
    with (settings.data_dir / LOCK_FILE).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            kept = common.kept_in(settings, common.URL_FILE)
            address = f" at {kept}" if kept else ""
            common.refuse(
                f"A demo is already running on {settings.data_dir}{address}. Stop it, or start this one in "
                f"its own folder with --data DIR."
            )
        yield


def _listening(host: str, port: int) -> socket.socket:
    try:
        return listening_socket(host, port)
    except Misconfigured as fault:
        other = port + 1
        common.refuse(
            f"{fault.message} Choose another: `make demo PORT={other}` or `bindery demo --port {other}`."
        )


def _data_option(settings: Settings) -> list[str]:
    return [] if settings.data_dir == Settings().data_dir else ["--data", str(settings.data_dir)]


class _Server(Server):
    """Leaves the signals to the demo, which has a worker to stop as well."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def _live(settings: Settings, listening: socket.socket, port: int, *, with_data: bool) -> None:
    log_file = settings.data_dir / "bindery.log"
    with common.stop_on_signal() as stop:
        with common.console.status("Starting PostgreSQL…"):
            dsn = await asyncio.to_thread(database_dsn, settings)
        configure_logs(settings.log_level, file=log_file)
        async with exporting_traces("demo"), running(settings, dsn) as runtime:
            with common.console.status("Making the tables…"):
                is_ready = await _make_ready(runtime)
            if with_data:
                await common.unless_stopped(_fill(runtime, is_ready=is_ready), stop)
            config = uvicorn.Config(
                create_app(runtime), lifespan="off", **uvicorn_options(HOST, port, runtime.settings)
            )
            server = _Server(config, runtime.let_go, runtime.leaving.set)
            serving = asyncio.create_task(server.serve(sockets=[listening]))
            living = asyncio.create_task(_work(runtime, log_file, port, stop, is_ready=is_ready))
            stopping = asyncio.create_task(stop.wait())
            await asyncio.wait({serving, living, stopping}, return_when=asyncio.FIRST_COMPLETED)
            server.should_exit = True
            stop.set()
            await asyncio.gather(serving, living, stopping)


async def _fill(runtime: Runtime, *, is_ready: bool) -> None:
    if not is_ready:
        common.say(
            "The database is unavailable, so there will be no sample data; start again with --with-data "
            "later."
        )
        return
    async with runtime.database.reading() as tx:
        partner = await partners.find_partner(tx, PARTNER)
    assert partner is not None, "it was made just now"
    token = (runtime.settings.data_dir / common.TOKEN_FILE).read_text()
    after = "{task.completed} of {task.total} steps"
    with progress_bar("Making 200 companies", after, width=40) as progress:
        bar = progress.add_task("", total=None)
        filled = await fill_with_samples(
            runtime,
            partner,
            token,
            lambda done, steps: progress.update(bar, completed=done, total=steps),
        )
    if filled is None:
        common.say(
            "There are companies already, so no sample data was added; `bindery clock reset` makes room."
        )
    else:
        odd = f", {filled.given_up} of them not as planned" if filled.given_up else ""
        common.say(
            f"{filled.companies:,} invented companies are in{odd}; their documents come in the background."
        )


async def _work(runtime: Runtime, log_file: Path, port: int, stop: asyncio.Event, *, is_ready: bool) -> None:
    if not is_ready:
        with common.console.status("Waiting for the database…"):
            is_ready = await common.unless_stopped(_wait_until_made_ready(runtime), stop)
    if is_ready:
        token = (runtime.settings.data_dir / common.TOKEN_FILE).read_text()
        _greet(runtime.settings, port, token, log_file)
        keep_for_good()
        await run_worker(runtime, concurrency=CONCURRENCY, stop=stop)


async def _wait_until_made_ready(runtime: Runtime) -> None:
    while not await _make_ready(runtime):  # noqa: ASYNC110 - the database tells nobody that it is back
        await asyncio.sleep(PAUSE_S)


async def _make_ready(runtime: Runtime) -> bool:
    """Make the tables, the partner, its broker and its token; whether the database was there for it."""
    if runtime.database.watch.is_away:
        return False
    try:
        await migrate(runtime.dsn)
        await ensure_seal_key(runtime)
        await _prepare(runtime)
    except (DatabaseUnreachable, *UNAVAILABLE):
        return False
    return True


async def _prepare(runtime: Runtime) -> None:
    async with runtime.database.transaction() as tx:
        partner = await partners.add_partner(tx, PARTNER)
        await partners.add_broker(tx, partner, BROKER, firm=BROKERAGES[BROKER])
        for email, name, role in DEMO_PEOPLE:
            partner_id = partner.partner_id if role is Role.BROKER else None
            await users.add(tx, email=email, name=name, role=role, partner_id=partner_id, password_hash=None)
        if not await binders.sections(tx):
            content = (resources.files("bindery") / "data" / "binders_demo.toml").read_bytes()
            await import_binder(tx, content, by=common.doer())
    kept = runtime.settings.data_dir / common.TOKEN_FILE
    if kept.is_file() and await _is_live(runtime, kept.read_text()):
        return
    token = await issue_token(
        runtime.database,
        runtime.clock,
        runtime.settings,
        runtime.secret,
        partner,
        days=TOKEN_DAYS,
        label="made by the demo",
        by=common.doer(),
    )
    write_private(kept, token)


async def _is_live(runtime: Runtime, token: str) -> bool:
    try:
        claims = read_token(
            token,
            runtime.secret,
            environment=CLAIMS[runtime.settings.environment],
            now=runtime.clock.real_now(),
        )
    except Unauthorized:
        return False
    return await runtime.access.find_partner(claims.partner_key, claims.token_id) is not None


def _greet(settings: Settings, port: int, token: str, log_file: Path) -> None:
    address = f"http://{HOST}:{port}"
    write_private(settings.data_dir / common.URL_FILE, f"{address}/v2")
    first_request = (settings.data_dir / "first_request.json").resolve()
    request = msgspec.json.format(msgspec.json.encode(CREATE_QUOTES_EXAMPLE), indent=2)
    write_private(first_request, request.decode())
    common.console.print("Bindery demo\n", style="bold #0f766e")
    for name, value in (
        ("API", f"{address}/v2"),
        ("Docs", f"{address}/docs"),
        ("Platform", f"{address}/"),
        ("Broker", BROKER),
        ("Log", str(log_file)),
    ):
        common.show_line(f"  {name:10}{value}")
    # Called by its path, as `make demo` does, the program is not on everybody's PATH.
    program = sys.argv[0] if "/" in sys.argv[0] else "bindery"
    follow = shlex.join([program, "quote", str(first_request), "--wait", *_data_option(settings)])
    _show_lines(
        "Address and token of the partner demo",
        f"export BINDERY_URL={address}",
        f"export BINDERY_TOKEN={token}",
    )
    receipt = shlex.quote(str(first_request.with_name("receipt.json")))
    _show_lines(
        "A first request; its receipt",
        f'curl -s {address}/v2/quotes -H "Authorization: Bearer $BINDERY_TOKEN" \\',
        f"  -H 'Content-Type: application/json' -d @{shlex.quote(str(first_request))} \\",
        f"  | tee {receipt} | python3 -m json.tool",
    )
    _show_lines(
        "The first quote of it",
        f'ID=$(grep -o \'"quote_identifier":"[^"]*\' {receipt} | head -n 1 | cut -d \'"\' -f 4)',
        f'curl -s {address}/v2/quotes/$ID -H "Authorization: Bearer $BINDERY_TOKEN" \\',
        "  -H 'Prefer: wait=30' | python3 -m json.tool",
    )
    _show_lines("Both in one command", follow)
    common.say("\nCtrl-C stops it; the data is kept for the next start.")


def _show_lines(title: str, *lines: str) -> None:
    common.console.print(f"\n{title}", style="bold")
    for line in lines:
        common.show_line(line)
