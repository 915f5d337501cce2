"""Follow the quickstart from nothing to a bound policy's PDF, in each language, and say how long it takes.

python -m tools.quickstart                   starts a demo of its own, in a folder that is removed again
python -m tools.quickstart curl python       only in these languages
python -m tools.quickstart --url http://127.0.0.1:8000    against a demo that runs; BINDERY_TOKEN is its token

Packages are built before the time is taken. TypeScript needs the compiler that `make setup-clients` installs.
"""

import argparse
import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import httpx

from tools.guide_programs import LANGUAGES, QUICKSTART, run_page
from tools.packages import BIN, NODE_MODULES, ROOT, build_python, build_typescript

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
    asked = parser.parse_args(arguments)
    if unknown := set(asked.languages) - set(NAMES):
        parser.error(f"no such language: {', '.join(sorted(unknown))}")
    languages = [NAMES[name] for name in asked.languages or NAMES]
    if "typescript" in languages and not NODE_MODULES.is_dir():
        if asked.languages:
            parser.error("TypeScript needs `make setup-clients`")
        languages.remove("typescript")
        _say("TypeScript is left out: `make setup-clients` installs what it needs.")
    with tempfile.TemporaryDirectory(prefix="quickstart-", ignore_cleanup_errors=True) as place:
        folder = Path(place)
        variables = {language: _prepare(language, folder / language) for language in languages}
        with _demo(folder, asked.url) as reached:
            for language in languages:
                _follow(language, folder / language, {**reached, **variables[language]})
    return 0


def _prepare(language: str, folder: Path) -> dict[str, str]:
    """Do what a reader does once: install the client package. Return what the program needs to find it."""
    folder.mkdir()
    match language:
        case "python":
            # A wheel of plain Python is importable as it is.
            return {"PYTHONPATH": str(build_python(ROOT / "clients" / "python", folder, "wheel"))}
        case "typescript":
            (folder / "package.json").write_text('{"private": true, "type": "module"}')
            install = [str(BIN / "npm"), "install", "--offline", "--no-audit", "--no-fund", "--silent"]
            path = os.pathsep.join([str(BIN), os.environ["PATH"]])
            subprocess.run(  # noqa: S603 - our own tools
                [*install, str(build_typescript(folder))],
                cwd=folder,
                env={**os.environ, "PATH": path},
                check=True,
            )
    return {}


def _follow(language: str, folder: Path, variables: Mapping[str, str]) -> None:
    """Run the quickstart in one language, and say how long it took."""
    began = time.perf_counter()
    run_page(QUICKSTART, language, folder, variables)
    took_s = time.perf_counter() - began
    policy = folder / "policy.pdf"
    if not policy.is_file() or not policy.read_bytes().startswith(b"%PDF-"):
        raise RuntimeError(f"The quickstart in {LANGUAGES[language].name} left no policy.")
    size_kb = policy.stat().st_size / 1000
    _say(f"{LANGUAGES[language].name:<12}{took_s:6.1f} s  policy.pdf, {size_kb:,.0f} kB")


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
