"""The TypeScript package next to what the tools of that world make of the same sources."""

import json
from pathlib import Path

from tools.typescript_surface import BUILT, compiled

from bindery.api.packages.typescript_types import types_of
from support.client_tools import run_tool

COMPARED = """import type { components as Theirs } from "./theirs.js";
import type { components as Ours } from "./ours.js";
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
"""
STRICT = (
    "--strict",
    "--exactOptionalPropertyTypes",
    "--noEmit",
    "--module",
    "nodenext",
    "--target",
    "es2022",
)


def test_what_is_kept_is_what_the_compiler_makes() -> None:
    kept = {path.name: path.read_text("utf-8") for path in BUILT.iterdir()}

    assert compiled() == kept


def test_every_type_is_the_one_that_openapi_typescript_makes(document: Path, tmp_path: Path) -> None:
    described = json.loads(document.read_text("utf-8"))
    run_tool(
        "openapi-typescript",
        document,
        "--output=theirs.ts",
        "--default-non-nullable=false",
        folder=tmp_path,
    )
    names = described["components"]["schemas"]
    checks = [
        f'export const v{number}: Same<Theirs["schemas"]["{name}"], Ours["schemas"]["{name}"]> = true;\n'
        for number, name in enumerate(names)
    ]
    (tmp_path / "compared.ts").write_text(COMPARED + "".join(checks))
    (tmp_path / "package.json").write_text('{"type": "module"}')

    def differences(ours: str) -> int:
        (tmp_path / "ours.d.ts").write_text(ours)
        return run_tool("tsc", *STRICT, "compared.ts", folder=tmp_path).stdout.count("error TS")

    ours = types_of(described)
    assert len(names) > 200
    assert differences(ours) == 0
    assert differences(ours.replace("cell_phone?: string | null", "cell_phone?: string")) > 0
