"""Build what partners take away: `python -m tools.packages DIR`, which `make packages` runs.

The program itself, the client packages, and a Postman collection.

The wheel and the source distribution for Python need nothing but hatchling. The tarball for npm is built with
the generator and the compiler that `make setup-clients` installs: types from the OpenAPI document, then the
hand-written surface over them.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
BIN: Final = Path(sys.executable).parent
NODE_MODULES: Final = Path(sys.prefix) / "clients" / "js" / "node_modules"


def main() -> None:
    folder = Path(sys.argv[1]).absolute()
    for made in (
        build_python(ROOT / "clients" / "python", folder, "wheel"),
        build_python(ROOT / "clients" / "python", folder, "sdist"),
        build_typescript(folder),
        build_python(ROOT, folder, "wheel"),
        build_python(ROOT, folder, "sdist"),
        write_postman(folder),
    ):
        sys.stdout.write(f"{made.name}  {made.stat().st_size / 1000:,.0f} kB\n")


def build_python(source: Path, folder: Path, kind: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        _run([sys.executable, "-m", "hatchling", "build", "--target", kind, "--directory", place], source)
        (made,) = Path(place).iterdir()
        return Path(shutil.copy(made, folder / made.name))


def build_typescript(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        source = shutil.copytree(ROOT / "clients" / "typescript", Path(place) / "client")
        document = Path(place) / "openapi.json"
        document.write_text(_run([str(BIN / "bindery"), "openapi"], ROOT), "utf-8")
        # By itself the tool makes a field compulsory that has a default, in requests too.
        types = [str(document), "--output=src/schema.ts", "--default-non-nullable=false"]
        _run([str(NODE_MODULES / ".bin" / "openapi-typescript"), *types], source)
        _run([str(NODE_MODULES / ".bin" / "tsc"), "--project", "."], source)
        shutil.copy(ROOT / "LICENSE", source)
        packed = _run([str(BIN / "npm"), "pack", "--silent", f"--pack-destination={folder}"], source)
    return folder / packed.splitlines()[-1]


def write_postman(folder: Path) -> Path:
    file = folder / "bindery.postman_collection.json"
    _run([sys.executable, "-m", "tools.postman", str(file)], ROOT)
    return file


def _run(command: list[str], folder: Path) -> str:
    environment = {**os.environ, "PATH": os.pathsep.join([str(BIN), os.environ["PATH"]])}
    done = subprocess.run(  # noqa: S603 - our own tools
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{Path(command[0]).name} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
