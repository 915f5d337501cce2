"""The package `bindery-client`: what is in it, and that it needs nothing of the service."""

import email
import io
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from bindery.api.packages.archives import python_wheel
from support.source_tree import ROOT

pytestmark = pytest.mark.long

SOURCE = ROOT / "clients" / "python"
LARGEST_WHEEL = 76_000
NO_SERVICE = """
import sys
sys.path.insert(0, sys.argv[1])
sys.modules["bindery"] = None  # importing it, or anything in it, fails
import bindery_client, bindery_client.contract.codes, bindery_client.contract.quotes
print(bindery_client.__file__)
print(*sorted({name.partition(".")[0] for name in sys.modules}))
"""


def build(kind: str, source: Path, folder: Path) -> Path:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)],
        cwd=source,
        check=True,
        capture_output=True,
    )
    (made,) = folder.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    return made


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", SOURCE, tmp_path_factory.mktemp("wheel"))


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as opened:
        return {name: opened.read(name) for name in opened.namelist() if name.startswith("bindery_client/")}


def test_the_wheel_is_small_and_typed(wheel: Path) -> None:
    packed = contents(wheel)

    assert {"bindery_client/__init__.py", "bindery_client/py.typed"} <= packed.keys()
    assert wheel.stat().st_size < LARGEST_WHEEL


def test_a_running_service_hands_out_what_the_build_makes(wheel: Path) -> None:
    name, content = python_wheel()
    with zipfile.ZipFile(io.BytesIO(content)) as served, zipfile.ZipFile(wheel) as built:
        by_hand, by_tool = (
            {path: archive.read(path) for path in archive.namelist()} for archive in (served, built)
        )
        metadata, expected = (
            email.message_from_bytes(files.pop("bindery_client-0.1.0.dist-info/METADATA"))
            for files in (by_hand, by_tool)
        )

    made_by_each = {f"bindery_client-0.1.0.dist-info/{file}" for file in ("RECORD", "WHEEL")}
    assert name == wheel.name
    assert {path: by_hand[path] for path in by_hand.keys() - made_by_each} == {
        path: by_tool[path] for path in by_tool.keys() - made_by_each
    }
    # The tool may know a newer version of the format.
    del metadata["Metadata-Version"], expected["Metadata-Version"]
    assert sorted(metadata.items()) == sorted(expected.items())
    assert metadata.get_payload() == expected.get_payload()


def test_the_bodies_are_the_services_own(wheel: Path) -> None:
    packed = contents(wheel)

    for path in (ROOT / "src" / "bindery" / "contract").glob("*.py"):
        shipped = packed[f"bindery_client/contract/{path.name}"].decode()
        assert shipped.replace("bindery_client.", "bindery.") == path.read_text("utf-8")


def test_it_imports_nothing_of_the_service_and_two_libraries(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)

    ran = subprocess.run(
        [sys.executable, "-c", NO_SERVICE, str(tmp_path)], capture_output=True, text=True, check=False
    )

    assert ran.returncode == 0, ran.stderr
    place, imported = ran.stdout.splitlines()
    assert Path(place).is_relative_to(tmp_path)
    others = {"aiohttp", "asyncpg", "jinja2", "sqlalchemy", "starlette", "typst"}
    assert others.isdisjoint(imported.split())


def test_a_source_distribution_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    archive = build("sdist", SOURCE, tmp_path / "sdist")
    (tmp_path / "unpacked").mkdir()
    subprocess.run(
        ["tar", "--extract", f"--file={archive}", f"--directory={tmp_path / 'unpacked'}"], check=True
    )
    (unpacked,) = (tmp_path / "unpacked").iterdir()

    again = build("wheel", unpacked, tmp_path / "again")

    assert contents(again) == contents(wheel)


def test_it_has_the_version_of_the_service() -> None:
    versions = {
        tomllib.loads((folder / "pyproject.toml").read_text())["project"]["version"]
        for folder in (ROOT, SOURCE)
    }

    assert len(versions) == 1
