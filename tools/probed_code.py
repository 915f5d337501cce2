"""The program's code with a probe before each line and branch, made once and kept for all processes.

To set the probes into the whole program takes some forty seconds of processor time, and every process that
runs tests or commands would do it again. The code is kept with a note of where each probe belongs; to put
them in is all that is left to a process.
"""

import ast
import hashlib
import marshal
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final, NamedTuple
from unittest.mock import patch

import slipcover
from slipcover import branch, probe
from slipcover.importer import FileMatcher, SlipcoverLoader, SlipcoverMetaPathFinder

SIGNAL: Final = "\0signal"
PROBE: Final = "\0probe"
NEVER_TAKEN_OUT: Final = -1


class ProbedCode(NamedTuple):
    """The code of a file with a note for each probe, and the lines and branches that can be met in it."""

    code: CodeType
    lines: tuple[int, ...]
    branches: tuple[tuple[int, int], ...]


class _Notes:
    """Takes the place of slipcover's probes, which cannot be kept, and notes where they belong."""

    signal = SIGNAL

    @staticmethod
    def new(_met: object, _file: str, where: object, _threshold: int) -> tuple[str, object]:
        return PROBE, where


def probed_code(source: Path, folder: Path) -> ProbedCode:
    """Return what was kept of a file in a folder, or else make it now."""
    text = source.read_bytes()
    made_by = f"{source}\n{slipcover.__version__}\n{sys.implementation.cache_tag}\n".encode()
    kept = folder / hashlib.sha256(made_by + text).hexdigest()
    try:
        return ProbedCode(*marshal.loads(kept.read_bytes()))  # noqa: S302 - our own, in a folder of ours
    except FileNotFoundError:
        made = _make(source, text)
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
            file.write(marshal.dumps(tuple(made)))
        Path(file.name).replace(kept)
        return made


def _make(source: Path, text: bytes) -> ProbedCode:
    met = slipcover.Slipcover(branch=True)
    with patch.object(slipcover.slipcover, "probe", _Notes):
        code = met.instrument(compile(branch.preinstrument(ast.parse(text)), str(source), "exec"))
    return ProbedCode(code, tuple(met.code_lines[str(source)]), tuple(met.code_branches[str(source)]))


def keep_all(sources: Path, folder: Path) -> None:
    """Make what is not kept yet of all files below a folder, on all cores."""
    with ProcessPoolExecutor() as makers:
        list(makers.map(partial(_keep, folder=folder), sources.rglob("*.py"), chunksize=16))


def _keep(source: Path, folder: Path) -> None:
    probed_code(source, folder)


def with_probes(code: CodeType, met: slipcover.Slipcover) -> CodeType:
    """Put a probe in the place of each note."""

    def put(constant: object) -> object:
        match constant:
            case CodeType():
                return with_probes(constant, met)
            case (str(kind), where) if kind == PROBE:
                return probe.new(met, code.co_filename, where, NEVER_TAKEN_OUT)
            case str() if constant == SIGNAL:
                return probe.signal
            case _:
                return constant

    return code.replace(co_consts=tuple(map(put, code.co_consts)))


class _Loader(SourceFileLoader):
    """Loads a module with probes that tell `met`."""

    def __init__(self, name: str, path: str, met: slipcover.Slipcover, folder: Path) -> None:
        super().__init__(name, path)
        self._met, self._folder = met, folder

    def get_code(self, fullname: str) -> CodeType:
        return with_probes(probed_code(Path(self.get_filename(fullname)), self._folder).code, self._met)


class ProbedModules(SlipcoverMetaPathFinder):  # type: ignore[misc] # slipcover has no types
    """Finds modules below a folder, and loads them with probes."""

    def __init__(self, met: slipcover.Slipcover, sources: Path, folder: Path) -> None:
        super().__init__(met, FileMatcher(sources=[str(sources)]))
        self._folder = folder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec: ModuleSpec | None = super().find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SlipcoverLoader) and spec.origin is not None:
            spec.loader = _Loader(fullname, spec.origin, self.sci, self._folder)
        return spec
