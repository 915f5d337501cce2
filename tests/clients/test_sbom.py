"""The bill of materials is CycloneDX in the eyes of its own validator."""

import json
from pathlib import Path

from tools import sbom

from support.client_tools import run_tool

VALIDATE = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1], encoding="utf-8").read())
sys.exit(str(fault) if fault else 0)
"""


def fault_of(file: Path) -> str:
    validated = run_tool("python", "-c", VALIDATE, file, folder=file.parent)
    assert validated.returncode in {0, 1}
    return validated.stderr


def test_the_bill_of_materials_is_valid(tmp_path: Path) -> None:
    file = tmp_path / "bom.json"
    sbom.main([str(file)])

    assert fault_of(file) == ""


def test_a_field_that_cyclonedx_does_not_have_is_found(tmp_path: Path) -> None:
    file = tmp_path / "bom.json"
    sbom.main([str(file)])
    worse = json.loads(file.read_text("utf-8"))
    worse["components"][0]["licence"] = "MIT"
    file.write_text(json.dumps(worse))

    assert "licence" in fault_of(file)
