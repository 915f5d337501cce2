"""`python -m tools.promtool`: have promtool, which the alerts and the dashboards are tried with.

It is taken out of Debian's package and put beside the environment's programs; nothing is installed on the
machine. Where it cannot be had this says what to do and ends with 1, and those tests are skipped.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

PACKAGE: Final = "prometheus"
OWN: Final = Path(sys.prefix) / "bin" / "promtool"
ADVICE: Final = (
    f"promtool is missing, so the alerts are not seen to fire. Install Debian's package {PACKAGE},\n"
    f"or link any promtool to {OWN}.\n"
)


def promtool() -> str | None:
    return str(OWN) if OWN.exists() else shutil.which("promtool")


def main() -> int:
    if promtool() is None and shutil.which("apt-get") and shutil.which("dpkg-deb"):
        sys.stdout.write("Getting promtool for the tests of the alerts\n")
        sys.stdout.flush()
        with tempfile.TemporaryDirectory() as folder:
            unpack(Path(folder), PACKAGE)
            if (found := Path(folder) / "usr" / "bin" / OWN.name).exists():
                shutil.move(found, OWN)
    if promtool():
        return 0
    sys.stderr.write(ADVICE)
    return 1


def unpack(folder: Path, *packages: str) -> None:
    """Unpack Debian's packages into a folder, as far as they can be had."""
    quick = ("--option=Acquire::http::Timeout=20", "--option=Acquire::Retries=0")
    download = ("apt-get", "download", "--quiet=2", *quick, *packages)
    subprocess.run(download, cwd=folder, capture_output=True, check=False)  # noqa: S603 - a fixed command
    for package in folder.glob("*.deb"):
        unpacking = ("dpkg-deb", "--extract", str(package), str(folder))
        subprocess.run(unpacking, capture_output=True, check=False)  # noqa: S603 - a fixed command
        package.unlink()


if __name__ == "__main__":
    sys.exit(main())
