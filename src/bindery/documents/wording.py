"""The wording of forms and notices, from the data of an edition."""

import tomllib
from collections.abc import Iterable, Mapping
from functools import lru_cache, partial
from typing import Any, Final

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.coverages.edition import COVERAGES
from bindery.domain.coverages.rules import CoverageRule, Party
from bindery.domain.documents.forms import Form, form_text

FORMERLY: Final = {"TRIA 0500": "TRIA 0501"}
"""Policies whose forms were frozen before this text had its own number list it under the first one."""
PARTIES: Final = ((Party.THIRD, "A", "Liability to others"), (Party.FIRST, "B", "Loss of your own"))
SECTIONS: Final = (
    ("limits", "IV", "Limits and retention"),
    ("claims", "V", "Claims and events"),
    ("general", "VI", "General conditions"),
    ("extended", "VII", "Extended reporting"),
)

Wording = dict[str, Any]


@lru_cache(maxsize=32)
def read_wording(name: str, edition: str) -> Mapping[str, Any]:
    read: Mapping[str, Any] = _typographic(tomllib.loads(form_text(f"wording/{{}}/{name}.toml", edition)))
    return read


def typographic(text: str) -> str:
    return text.replace("'", "\N{RIGHT SINGLE QUOTATION MARK}").replace(" - ", " \N{EN DASH} ")


def _typographic(value: Any) -> Any:  # noqa: ANN401 - whatever TOML holds
    match value:
        case str():
            return typographic(value)
        case list():
            return [_typographic(item) for item in value]
        case dict():
            return {key: _typographic(item) for key, item in value.items()}
        case _:
            return value


def pieces(text: str) -> list[str]:
    """Cut a text of ours at its asterisks: plain and bold take turns, beginning with plain."""
    return text.split("*")


@lru_cache(maxsize=32)
def policy_form(product: InsuranceProduct, edition: str, coverages: str) -> Wording:
    """Put a product's policy form together: the agreements of its coverages, and the clauses it shares.

    `edition` is that of the forms, `coverages` that of the coverages.
    """
    rules = COVERAGES.named(coverages).products[product]
    read = partial(read_wording, edition=edition)
    return {
        "agreements": [
            _agreements(read("agreements"), rules, party, letter, title) for party, letter, title in PARTIES
        ],
        "definitions": [
            {"term": definition["term"], "text": pieces(definition["text"])}
            for definition in _for_product(read("definitions")["definitions"], product)
        ],
        "exclusions_introduction": pieces(read("exclusions")["introduction"]),
        "exclusions": _clauses(read("exclusions")["exclusions"], product),
        "sections": [
            {"number": number, "title": title, "clauses": _clauses(read("conditions")[key], product)}
            for key, number, title in SECTIONS
        ],
    }


def endorsement(form: Form, edition: str) -> Mapping[str, Any]:
    wording: Mapping[str, Any] = read_wording("endorsements", edition)[FORMERLY.get(form.stem, form.stem)]
    return wording


def _agreements(
    wording: Mapping[str, Any], rules: Iterable[CoverageRule], party: Party, letter: str, title: str
) -> Wording:
    own = [rule for rule in rules if rule.party is party]
    return {
        "title": f"{letter}. {title}",
        "introduction": pieces(wording["third_party" if party is Party.THIRD else "first_party"]),
        "items": [
            {
                "number": f"{letter}.{place}",
                "title": typographic(rule.name),
                "text": pieces(wording["agreements"][rule.code]["text"]),
                "points": [pieces(point) for point in wording["agreements"][rule.code].get("points", ())],
            }
            for place, rule in enumerate(own, start=1)
        ],
    }


def _clauses(rows: Iterable[Mapping[str, Any]], product: InsuranceProduct) -> list[Wording]:
    return [{"title": row["title"], "text": pieces(row["text"])} for row in _for_product(rows, product)]


def _for_product(rows: Iterable[Mapping[str, Any]], product: InsuranceProduct) -> list[Mapping[str, Any]]:
    return [row for row in rows if product in row.get("products", InsuranceProduct)]
