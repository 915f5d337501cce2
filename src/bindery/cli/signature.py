"""The seal of signed applications: whether a file is as it was sealed, and the key that seals."""

import resource
import signal
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Annotated, Final

import typer

from bindery.actions.documents.find_seal_key import find_certificates, replace_seal_key
from bindery.cli import common
from bindery.cli.stored import with_runtime
from bindery.domain.documents.seal import MOST_BYTES, SENTENCES, SealFlaw, SealReport
from bindery.outside.seal_keys import read_certificates

app = typer.Typer(no_args_is_help=True)
FLAWED: Final = 1
SECONDS: Final = 20
MEMORY_BYTES: Final = 2 * 1024 * 1024 * 1024


@app.callback()
def _group() -> None:
    """The seal of signed applications."""


@app.command(
    "verify",
    help="Check that a PDF is as the service sealed it; exit code 1 if not. Nothing leaves this machine.",
)
def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The PDF.")],
    *,
    certificate: Annotated[
        Path | None,
        common.optional(
            "The service's certificates, as `bindery signature certificate --all` prints them; with them no "
            "database is needed.",
            "--certificate",
            metavar="FILE",
        ),
    ] = None,
    data: common.DataOption = None,
    as_json: common.JsonOption = False,
) -> None:
    report = _verified(_start_of(file), _read(certificate) if certificate else _of_service(data))
    if as_json:
        common.print_json({"file": str(file), "is_as_sealed": not report.flaws, **asdict(report)})
    else:
        for sentence in sentences(str(file), report):
            common.say(sentence)
    if report.flaws:
        raise typer.Exit(FLAWED)


@app.command("certificate", help="Print the certificate that seals, as PEM, for others to trust.")
def certificate(
    *,
    former: Annotated[bool, typer.Option("--all", help="Also those that sealed before.")] = False,
    data: common.DataOption = None,
) -> None:
    kept = with_runtime(data, find_certificates)
    for found in kept if former else kept[:1]:
        typer.echo(found.certificates, nl=False)


@app.command("replace-key", help="Make a new key to seal with; what the former sealed stays verifiable.")
def replace_key(*, data: common.DataOption = None, as_json: common.JsonOption = False) -> None:
    sha256 = with_runtime(data, replace_seal_key).sha256.hex()
    sentence = f"A new key seals from now on; the SHA-256 of its certificate is {sha256}."
    common.show_result({"certificate_sha256": sha256}, sentence, as_json=as_json)


def sentences(name: str, report: SealReport) -> Iterator[str]:
    """Print what was found in a file, the outcome first."""
    if report.flaws:
        yield f"{name} is not as the service sealed it."
        yield from (SENTENCES[flaw] for flaw in report.flaws)
    else:
        yield f"{name} is as the service sealed it."
        yield "The seal covers the whole file, and nothing was changed since."
    if report.sealed_by is None or report.sealed_at is None:
        return
    by, at = report.sealed_by, f"{report.sealed_at:%Y-%m-%d %H:%M:%S %Z}"
    yield f"The seal names {by}, {at}." if report.flaws else f"Sealed by {by}, on {at}."
    yield f"SHA-256 of the certificate: {report.certificate_sha256}"
    if report.stamp is not None:
        yield f"A time stamp of {report.stamp.by} says {report.stamp.at:%Y-%m-%d %H:%M:%S %Z}."
    elif not report.flaws:
        yield "It has no time stamp: the time is that of the service."


def _start_of(file: Path) -> bytes:
    """Read a file as far as a document of ours can reach, whatever it is."""
    try:
        with file.open("rb") as opened:
            return opened.read(MOST_BYTES + 1)
    except OSError as fault:
        common.refuse(f"{file} cannot be read: {fault.strerror}.")


def _read(file: Path) -> tuple[bytes, ...]:
    try:
        return read_certificates(common.read_file(file))
    except ValueError:
        common.refuse(f"{file} has no certificate, neither PEM nor DER.")


def _of_service(data: Path | None) -> tuple[bytes, ...]:
    settings = common.settings_for(data)
    if not settings.database_url and not settings.data_dir.is_dir():
        common.refuse(
            "Name the service's certificates with --certificate: there is no data folder of a service at "
            f"{settings.data_dir}. The service prints them: bindery signature certificate --all"
        )
    kept = with_runtime(data, find_certificates)
    # Those that vouch for one seal nothing themselves.
    return tuple(read_certificates(found.certificates.encode())[0] for found in kept)


def _verified(pdf: bytes, trusted: Collection[bytes]) -> SealReport:
    # It takes half a second to import.
    from bindery.documents.seal import verify_seal  # noqa: PLC0415

    try:
        with _limited():
            return verify_seal(pdf, trusted)
    except (_TakesTooLong, MemoryError):
        return SealReport(flaws=(SealFlaw.TOO_COSTLY,))


class _TakesTooLong(BaseException):
    """Not an exception like others, which whoever reads a broken file may take for a sign of that."""


@contextmanager
def _limited() -> Iterator[None]:
    """Bound what a hostile file can cost, for the time of the block."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(MEMORY_BYTES, hard)

    def end(_number: int, _frame: FrameType | None) -> None:
        raise _TakesTooLong

    before = signal.signal(signal.SIGALRM, end)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        signal.signal(signal.SIGALRM, before)
