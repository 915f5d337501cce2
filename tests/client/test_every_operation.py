"""The clients have what the API has, by the same names."""

import inspect
import re

import pytest

from bindery.api.operation import Operation
from bindery.api.operations import OPERATIONS
from bindery.client import AsyncBindery, Bindery
from bindery.contract.quote import SIGNED_APPLICATION
from bindery.domain.policy.contingencies import SIGNATURE
from support.source_tree import ROOT

FOR_OPERATORS_AND_READERS = {"openapi", "docs", "livez", "readyz", "metrics"}
NAMES = [row.name for row in OPERATIONS if row.name not in FOR_OPERATORS_AND_READERS]


@pytest.mark.parametrize("client", [Bindery, AsyncBindery])
def test_every_operation_is_a_method(client: type) -> None:
    assert [name for name in NAMES if not callable(getattr(client, name, None))] == []


@pytest.mark.parametrize("row", [row for row in OPERATIONS if row.name in NAMES], ids=lambda row: row.name)
def test_a_method_that_writes_under_a_key_takes_the_callers(row: Operation) -> None:
    parameters = inspect.signature(getattr(Bindery, row.name)).parameters

    assert ("idempotency_key" in parameters) == row.takes_key


def test_both_clients_have_the_same_methods() -> None:
    def methods(client: type) -> dict[str, list[str]]:
        return {
            name: list(inspect.signature(method).parameters)
            for name, method in inspect.getmembers(client, inspect.isfunction)
            if not name.startswith("_")
        }

    assert methods(Bindery) == methods(AsyncBindery)


def test_every_operation_is_a_method_of_the_typescript_client() -> None:
    source = (ROOT / "clients" / "typescript" / "src" / "client.ts").read_text("utf-8")
    methods = set(re.findall(r"^  async ([a-z]\w*)\(", source, re.MULTILINE))
    in_camel_case = [re.sub(r"_([a-z])", lambda found: found[1].upper(), name) for name in NAMES]

    assert [name for name in in_camel_case if name not in methods] == []


def test_the_clients_know_the_same_words_of_the_signature_contingency() -> None:
    source = (ROOT / "clients" / "typescript" / "src" / "client.ts").read_text("utf-8")

    assert f'const SIGNED_APPLICATION = "{SIGNED_APPLICATION}";' in source
    assert SIGNATURE.text.startswith(SIGNED_APPLICATION)
