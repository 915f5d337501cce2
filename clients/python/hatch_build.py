"""Take the client out of the service's source, under a name of its own.

The service's command line is a partner like any other, and the bodies of the API are written once: the code
lives in `src/bindery` with its tests, types and layers, and is shipped here as `bindery_client`. Which files
these are is in `bindery.api.packages.sources`, as a running service hands out the same package. An unpacked
source distribution has it already.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE: Final = "bindery_client"
SERVICE: Final = Path(__file__).parents[2] / "src"


class TakeFromService(BuildHookInterface):
    """Adds the package to whatever is built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the package into a folder that the build takes it from, unless it is here already."""
        if not (Path(self.root) / PACKAGE).is_dir():
            self._folder = tempfile.TemporaryDirectory()
            write_package(Path(self._folder.name))
            build_data["force_include"][f"{self._folder.name}/{PACKAGE}"] = PACKAGE

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove that folder."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()


def write_package(folder: Path) -> None:
    """Write the files of the package into a folder."""
    sys.path.insert(0, str(SERVICE))
    from bindery.api.packages.sources import python_modules  # noqa: PLC0415 - found by the line above

    for name, content in python_modules().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
