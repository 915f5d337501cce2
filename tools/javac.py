"""`python -m tools.javac`: have javac, which compiles the Java client that openapi-generator makes.

It is taken out of Debian's packages into the environment; nothing is installed on the machine. Where it
cannot be had this says what to do and ends with 1: the client is then parsed, and not compiled.
"""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

from tools.promtool import unpack

VERSIONS: Final = ("17", "21", "25")
"""Those of Debian 12 and of later ones."""
OWN: Final = Path(sys.prefix) / "jdk"
ADVICE: Final = """\
javac is missing, so the Java client of openapi-generator is parsed only, and not compiled.
Install any JDK, such as Debian's package default-jdk-headless.
"""


def javac() -> str | None:
    own = OWN / "bin" / "javac"
    return str(own) if own.exists() else shutil.which("javac")


def main() -> int:
    if javac() is None and shutil.which("apt-get") and shutil.which("dpkg-deb"):
        sys.stdout.write("Getting javac for the client that openapi-generator makes\n")
        sys.stdout.flush()
        with tempfile.TemporaryDirectory() as folder:
            for version in VERSIONS:
                unpack(Path(folder), *(f"openjdk-{version}-{part}-headless" for part in ("jre", "jdk")))
                # A second name of the same folder is a link.
                found = [*Path(folder).glob(f"usr/lib/jvm/java-{version}-*/bin/javac")]
                if found:
                    shutil.move(found[0].parents[1], OWN)
                    break
    if javac():
        return 0
    sys.stderr.write(ADVICE)
    return 1


if __name__ == "__main__":
    sys.exit(main())
