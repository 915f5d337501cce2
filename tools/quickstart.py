"""Follow the quickstart from nothing to a bound policy's PDF, in each language, and say how long it takes.

python -m tools.quickstart                   starts a demo of its own, in a folder that is removed again
python -m tools.quickstart curl python       only in these languages
python -m tools.quickstart --url http://127.0.0.1:8000    against a demo that runs; BINDERY_TOKEN is its token

The packages are taken from the demo, by the lines of the page: what it takes to install them is in the time.
"""

import argparse
import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import httpx

from bindery.api.guide.pages import source
from tools.guide_programs import LANGUAGES, QUICKSTART, run_page
from tools.packages import BIN

NAMES: Final = {language.name.lower(): key for key, language in LANGUAGES.items()}
PROGRAM: Final = str(BIN / "bindery")
STARTS_WITHIN_S: Final = 300
STOPS_WITHIN_S: Final = 120


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.quickstart", description="The quickstart from nothing to a policy's PDF, timed."
    )
    parser.add_argument(
        "languages", nargs="*", metavar="LANGUAGE", help=", ".join(NAMES) + "; all by default"
    )
    parser.add_argument("--url", help="a demo that runs; one is started when not given")
    parser.add_argument(
        "--lend",
        action="store_true",
        help="lend the Python program the libraries of this environment, where none can be fetched",
    )
    asked = parser.parse_args(arguments)
    if unknown := set(asked.languages) - set(NAMES):
        parser.error(f"no such language: {', '.join(sorted(unknown))}")
    languages = [NAMES[name] for name in asked.languages or NAMES]
    with tempfile.TemporaryDirectory(prefix="quickstart-", ignore_cleanup_errors=True) as place:
        folder = Path(place)
        with _demo(folder, asked.url) as reached:
            for language in languages:
                _follow(language, folder / language, reached, lend=asked.lend)
    return 0


def _follow(language: str, folder: Path, reached: Mapping[str, str], *, lend: bool) -> None:
    """Install the package and run the quickstart in one language, and say how long it took."""
    folder.mkdir()
    began = time.perf_counter()
    variables = _install(language, folder, reached, lend=lend)
    installed_s = time.perf_counter() - began
    run_page(QUICKSTART, language, folder, {**reached, **variables})
    took_s = time.perf_counter() - began
    policy = folder / "policy.pdf"
    if not policy.is_file() or not policy.read_bytes().startswith(b"%PDF-"):
        raise RuntimeError(f"The quickstart in {LANGUAGES[language].name} left no policy.")
    said = f"policy.pdf, {policy.stat().st_size / 1000:,.0f} kB"
    if variables:
        said += f"; {installed_s:.1f} s of it to install the package"
    _say(f"{LANGUAGES[language].name:<12}{took_s:6.1f} s  {said}")


def _install(language: str, folder: Path, reached: Mapping[str, str], *, lend: bool) -> dict[str, str]:
    """Install the client package as the page says; return what its program needs to find it."""
    match language:
        case "python":
            subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)  # noqa: S603 - our own
            if lend:
                (place,) = folder.glob("venv/lib/python*/site-packages")
                (place / "lent.pth").write_text(sysconfig.get_path("purelib"))
            return _run_line("pip install --quiet", folder, reached, folder / "venv" / "bin")
        case "typescript":
            (folder / "package.json").write_text('{"private": true, "type": "module"}')
            return _run_line("npm install --silent", folder, reached, BIN)
        case _:
            return {}


def _run_line(command: str, folder: Path, reached: Mapping[str, str], programs: Path) -> dict[str, str]:
    """Run the line of the page that begins with this command, with what makes it quiet."""
    plain = command.partition(" --")[0]
    (line,) = re.findall(rf"^{plain} .*$", source(QUICKSTART), re.MULTILINE)
    path = {"PATH": os.pathsep.join([str(programs), str(BIN), os.environ["PATH"]])}
    said = ["bash", "-euc", line.replace(plain, command)]
    subprocess.run(said, cwd=folder, env={**os.environ, **reached, **path}, check=True)  # noqa: S603 - from our own page
    return path


@contextlib.contextmanager
def _demo(folder: Path, url: str | None) -> Iterator[dict[str, str]]:
    """Yield the address and token of a demo: the one that runs, or a new one for as long as it is needed."""
    if url is not None:
        yield {"BINDERY_URL": url, "BINDERY_TOKEN": os.environ["BINDERY_TOKEN"]}
        return
    data, port = folder / "data", _free_port()
    began = time.perf_counter()
    with subprocess.Popen(  # noqa: S603 - our own program
        [PROGRAM, "demo", "--port", str(port), "--data", str(data)], stdout=subprocess.DEVNULL
    ) as process:
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_until_ready(process, address)
            _say(f"{'demo':<12}{time.perf_counter() - began:6.1f} s  from an empty folder to ready")
            yield {"BINDERY_URL": address, "BINDERY_TOKEN": (data / "demo_token").read_text()}
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(STOPS_WITHIN_S)
            stop = [PROGRAM, "database", "stop", "--data", str(data)]
            subprocess.run(stop, stdout=subprocess.DEVNULL, check=True)  # noqa: S603 - our own program


def _wait_until_ready(process: "subprocess.Popen[bytes]", address: str) -> None:
    until = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < until:
        if process.poll() is not None:
            raise RuntimeError("The demo ended before it was ready.")
        with contextlib.suppress(httpx.TransportError):
            if httpx.get(f"{address}/readyz", timeout=5).is_success:
                return
        time.sleep(0.1)
    raise RuntimeError("The demo was not ready in time.")


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
