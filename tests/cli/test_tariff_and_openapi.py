"""Commands that need no database."""

from importlib import resources
from pathlib import Path

import pytest

from support.processes import Program

TARIFF = (resources.files("bindery") / "data" / "tariffs" / "2026.1.toml").read_text()


def draft(folder: Path, text: str) -> str:
    file = folder / "draft.toml"
    file.write_text(text)
    return str(file)


def test_everything_that_comes_with_the_program_is_good(bare: Program) -> None:
    checked = bare.run("tariff", "check", "--json").json()
    table = bare.run("tariff", "check").good().splitlines()

    assert [(edition["kind"], edition["faults"]) for edition in checked] == [
        ("tariff", []),
        ("questions", []),
        ("coverages", []),
        ("state charges", []),
    ]
    assert all(len(edition["fingerprint"]) == 64 for edition in checked)
    assert table[1].split() == ["tariff", "2026.1", checked[0]["fingerprint"][:16], "good"]


def test_a_draft_with_the_same_numbers_has_the_same_fingerprint(bare: Program) -> None:
    packaged = bare.run("tariff", "check", "--json").json()[0]
    copied = bare.run("tariff", "check", draft(bare.folder, f"# A remark.\n{TARIFF}"), "--json").json()

    assert copied == [packaged]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("edition = ", "cannot be read: "),
        (TARIFF.replace("edition =", "edishun =", 1), "cannot be read: "),
    ],
)
def test_a_draft_that_cannot_be_read_is_a_fault(bare: Program, text: str, fault: str) -> None:
    ended = bare.run("tariff", "check", draft(bare.folder, text))

    assert ended.code == 1
    assert "1 fault" in ended.stdout
    assert ended.stderr.startswith(f"tariff draft: {fault}")
    assert len(ended.stderr.splitlines()) == 1


def test_a_draft_whose_prices_move_the_wrong_way_is_listed_with_every_fault(bare: Program) -> None:
    falling = TARIFF.replace('500_000 = "0.720"', '500_000 = "0.490"', 1)
    assert falling != TARIFF

    ended = bare.run("tariff", "check", draft(bare.folder, falling))

    assert ended.code == 1
    assert "2026.1" in ended.stdout
    assert all(line.startswith("tariff 2026.1: ") for line in ended.stderr.splitlines())
    assert "cyber.limits" in ended.stderr


def test_the_openapi_document_is_printed_as_json(bare: Program) -> None:
    demo = bare.run("openapi").json()
    production = bare.run(
        "openapi",
        BINDERY_ENVIRONMENT="production",
        BINDERY_DATABASE_URL="postgresql://nobody@127.0.0.1:1/none",
        BINDERY_SECRET_KEY="q7LxT2vWm9ZrB4nKc8YpD1sHf6GjA3eU",
        BINDERY_BASE_URL="https://api.bindery.example/v2",
    ).json()

    assert demo["openapi"].startswith("3.1")
    assert "webhooks" in demo
    assert "webhooks" not in bare.run("openapi", "--no-webhooks").json()
    assert demo["info"]["version"] == "2.13.0"
    assert [path for path in production["paths"] if "demo" in path] == []
    assert [path for path in demo["paths"] if "demo" in path] != []
