"""Take the client out of the service's source, under a name of its own.

The service's command line is a partner like any other, and the bodies of the API are written once: the code
lives in `src/bindery` with its tests, types and layers, and is shipped here as `bindery_client`. An unpacked
source distribution has it already.
"""

import re
import tempfile
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE: Final = "bindery_client"
SERVICE: Final = Path(__file__).parents[2] / "src" / "bindery"
SHIPPED: Final = {
    "client/*": "",
    "contract/*.py": "contract/",
    "base/__init__.py": "base/",
    "base/clock.py": "base/",
    "base/numbers.py": "base/",
    "base/signatures.py": "base/",
}
"""Which files are shipped, and in which folder of the package."""
NAMES: Final = ((r"\bbindery\.client\b", PACKAGE), (r"\bbindery\.(contract|base)\b", rf"{PACKAGE}.\1"))


class TakeFromService(BuildHookInterface):
    """Adds the package to whatever is built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the package into a folder that the build takes it from, unless it is here already."""
        if not (Path(self.root) / PACKAGE).is_dir():
            self._folder = tempfile.TemporaryDirectory()
            write_package(Path(self._folder.name))
            build_data["force_include"][self._folder.name] = PACKAGE

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove that folder."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()


def write_package(folder: Path) -> None:
    """Write the shipped files into a folder, importing each other by the package's name."""
    for pattern, place in SHIPPED.items():
        for source in sorted(path for path in SERVICE.glob(pattern) if path.is_file()):
            text = source.read_text("utf-8")
            for name, shipped in NAMES:
                text = re.sub(name, shipped, text)
            target = folder / place / source.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, "utf-8")
