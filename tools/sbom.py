"""`python -m tools.sbom FILE`: write what the program is made of, as CycloneDX 1.6.

The locked requirements say what is in it; the installed packages say under which license, and what they need.
The same requirements make the same bytes: there is no time and no random number in the file.
"""

import json
import re
import sys
import tomllib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
LOCK: Final = ROOT / "requirements" / "runtime.txt"
FILES: Final = {"Inter": "OFL-1.1", "Lucide": "ISC"}
"""What is in the package and was made by others: the typeface and the icons of the pages."""
_LOCKED = re.compile(r"^([\w.-]+)==(\S+)", re.MULTILINE)
_NAME = re.compile(r"^[\w.-]+")
_EXTRA = re.compile(r"""extra == ["']([\w-]+)["']""")


def _components(locked: dict[str, str]) -> list[dict[str, Any]]:
    found = [_component(name, version) for name, version in locked.items()]
    return found + [
        {"type": "file", "bom-ref": f"file:{name}", "name": name, "licenses": [{"expression": license_}]}
        for name, license_ in FILES.items()
    ]


def _component(name: str, version: str) -> dict[str, Any]:
    made: dict[str, Any] = {
        "type": "library",
        "bom-ref": _ref(name, version),
        "name": name,
        "version": version,
        "purl": _ref(name, version),
    }
    try:
        about = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        # For another system, or another version of Python.
        return {**made, "scope": "optional"}
    return {**made, "licenses": [_license_of(about)]}


def _license_of(about: metadata.PackageMetadata) -> dict[str, Any]:
    if "License-Expression" in about:
        return {"expression": about["License-Expression"]}
    named = [
        line.rpartition(" :: ")[2] for line in about.get_all("Classifier") or [] if line.startswith("License")
    ]
    said = about["License"].partition("\n")[0].strip() if "License" in about else ""
    return {"license": {"name": said or " / ".join(named)}}


def _ref(name: str, version: str) -> str:
    return f"pkg:pypi/{name}@{version}"


def _asked_by(name: str) -> list[str]:
    try:
        return metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return []


def _refs(asked: Iterable[str], extras: set[str], locked: dict[str, str]) -> list[str]:
    """Return the locked packages among what is asked for, with what the given extras ask for too."""
    names = set()
    for line in asked:
        extra = _EXTRA.search(line)
        if extra is None or extra[1] in extras:
            names.add(re.sub(r"[._]", "-", _NAME.findall(line)[0]).lower())
    return sorted(_ref(name, locked[name]) for name in names & locked.keys())


def bill_of_materials(lock: str) -> dict[str, Any]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    locked = dict(_LOCKED.findall(lock))
    own = _ref(project["name"], project["version"])
    asked = {name: _asked_by(name) for name in locked}
    # Such as `sqlalchemy[asyncio]`: what an extra of one package asks for is taken as asked for by it.
    lines = [line for found in (project["dependencies"], *asked.values()) for line in found]
    extras = {extra for line in lines for extra in re.findall(r"^[\w.-]+\[([\w-]+)", line)}
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": project["name"],
                "version": project["version"],
                "description": project["description"],
                "licenses": [{"expression": project["license"]}],
                "purl": own,
            }
        },
        "components": _components(locked),
        "dependencies": [
            {"ref": own, "dependsOn": _refs(project["dependencies"], set(), locked)},
            *(
                {"ref": _ref(name, version), "dependsOn": _refs(asked[name], extras, locked)}
                for name, version in locked.items()
            ),
        ],
    }


def main(arguments: list[str]) -> int:
    (target,) = map(Path, arguments)
    target.parent.mkdir(parents=True, exist_ok=True)
    made = bill_of_materials(LOCK.read_text("utf-8"))
    target.write_text(json.dumps(made, indent=2, ensure_ascii=False) + "\n", "utf-8")
    sys.stdout.write(f"{target}: {len(made['components'])} components\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
