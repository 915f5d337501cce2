"""Install locked requirements with pip, showing how far it has come.

Runs with the interpreter of the environment that is being filled, before anything is installed in it, so it
imports the standard library only. A terminal sees a bar; a log gets a line at the start and one at the end.
"""

import re
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Iterable
from pathlib import Path

BAR_WIDTH = 24
LOOK_EVERY_S = 0.25
NAME_WIDTH = 28
ERASE_LINE = "\r\033[K"
FETCHED = re.compile(r"(?:Collecting|Requirement already satisfied:) ([A-Za-z0-9][\w.-]*)")
PINNED = r"^([A-Za-z0-9][\w.-]*)(?:\[[^]]*\])?=="
UNPACKING = "Installing collected packages: "
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input")


def main() -> int:
    title, requirements = sys.argv[1], Path(sys.argv[2])
    wanted = pinned_names(requirements.read_text("utf-8"))
    started = time.monotonic()
    if not sys.stdout.isatty():
        report(f"{title}: {len(wanted)} packages …")
    with tempfile.TemporaryFile("w+", encoding="utf-8") as complaints:
        pip = subprocess.Popen(  # noqa: S603 - our own interpreter and a file of the project
            [
                *PIP,
                "install",
                "--progress-bar",
                "off",
                "--require-hashes",
                "--requirement",
                str(requirements),
            ],
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
            bufsize=1,
        )
        if sys.stdout.isatty():
            follow(pip, title, wanted, started)
        else:
            pip.communicate()
        if pip.returncode:
            complaints.seek(0)
            sys.stderr.write(complaints.read())
            return pip.returncode
    report(f"{title}: {len(wanted)} packages in {time.monotonic() - started:.0f} s.")
    return 0


def report(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def pinned_names(requirements: str) -> set[str]:
    return {normal(name) for name in re.findall(PINNED, requirements, re.MULTILINE)}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()


def follow(pip: "subprocess.Popen[str]", title: str, wanted: set[str], started: float) -> None:
    """Redraw the bar until pip ends: half of it for fetching, half for unpacking."""
    seen = Seen(wanted)
    reader = threading.Thread(target=seen.read, args=(pip.stdout,))
    reader.start()
    while pip.poll() is None:
        draw(title, seen.share(), time.monotonic() - started, seen.package)
        time.sleep(LOOK_EVERY_S)
    reader.join()
    sys.stdout.write(ERASE_LINE)


class Seen:
    def __init__(self, wanted: set[str]) -> None:
        self._wanted = wanted
        self._fetched: set[str] = set()
        self._unpacking: set[str] = set()
        self.package = ""

    def read(self, output: Iterable[str]) -> None:
        for line in output:
            if found := FETCHED.match(line):
                self.package = found[1]
                self._fetched.add(normal(found[1]))
            elif line.startswith(UNPACKING):
                # Not every pinned package is for this machine; from here on the number is known.
                self._unpacking = {normal(name) for name in line.removeprefix(UNPACKING).strip().split(", ")}
                self.package = "unpacking"

    def share(self) -> float:
        if self._unpacking:
            return (1 + len(self._unpacking & installed()) / len(self._unpacking)) / 2
        return len(self._fetched & self._wanted) / len(self._wanted) / 2


def installed() -> set[str]:
    folder = Path(sysconfig.get_path("purelib"))
    return {normal(path.name.split("-")[0]) for path in folder.glob("*.dist-info")}


def draw(title: str, share: float, seconds: float, package: str) -> None:
    full = round(BAR_WIDTH * min(share, 1.0))
    bar = "━" * full + "─" * (BAR_WIDTH - full)
    clock = f"{int(seconds) // 60}:{int(seconds) % 60:02}"
    sys.stdout.write(f"{ERASE_LINE}{title}  {bar} {share:4.0%}  {clock}  {package[:NAME_WIDTH]}")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
