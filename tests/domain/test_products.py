"""What a new product has to bring along; each test names the file that lacks it."""

import re
from dataclasses import fields, replace
from datetime import date
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
import pytest

import bindery
from bindery.contract.catalogue import IndicationRequest
from bindery.contract.documents import DocumentType
from bindery.contract.quote import QuoteDates
from bindery.contract.quotes import CreateQuotesRequest, Policy, PolicyDates
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents.wording import read_wording
from bindery.domain.coverages.edition import COVERAGES
from bindery.domain.documents.forms import FORMS
from bindery.domain.products import Line, all_products, record_of
from bindery.domain.questions.question import QUESTIONS
from bindery.domain.rating.check_tariff import check_tariff
from bindery.domain.rating.tariff import TARIFFS, Tariff
from bindery.domain.submission.parts import parts_of
from bindery.domain.submission.reading import ReadingContext, read_submission
from documents.cases import request_body

TARIFF = TARIFFS.all[-1]
PARTS = tuple(field.name for field in fields(Tariff) if hasattr(getattr(TARIFF, field.name), "part"))
COUNTS = {3: "three", 4: "four", 5: "five"}
MAY_NAME_A_PRODUCT = (
    "domain/products.py",
    "contract/vocabulary.py",
    # The invented companies: what each of them buys.
    "cli/sample/",
    # Knows nothing of the service, and has the specification's own table of products.
    "conformance/",
)


@pytest.mark.parametrize("product", InsuranceProduct)
def test_a_product_has_a_record_of_its_own(product: InsuranceProduct) -> None:
    assert record_of(product).product is product
    assert [record.title for record in all_products()].count(record_of(product).title) == 1


@pytest.mark.parametrize("product", InsuranceProduct)
def test_the_newest_editions_have_every_product(product: InsuranceProduct) -> None:
    without = set() if record_of(product).is_scanned else {DocumentType.SECURITY_REPORT}
    worded = set(read_wording("agreements", FORMS.all[-1].edition)["agreements"])
    has_it = {
        "data/tariffs": product in TARIFF.minimum_premiums,
        "data/questions": product in QUESTIONS.all[-1].sets,
        "data/coverages": product in COVERAGES.all[-1].products,
        "data/wording": {rule.code for rule in COVERAGES.all[-1].products.get(product, ())} <= worded,
        "data/forms": set(DocumentType) - record_of(product).documents == without,
    }

    assert [folder for folder, has in has_it.items() if not has] == []


@pytest.mark.parametrize("product", InsuranceProduct)
def test_a_product_is_priced_by_a_part_of_the_tariff(product: InsuranceProduct) -> None:
    titles = {getattr(TARIFF, name).part.title for name in PARTS}

    assert {formula.part_of(TARIFF).title for formula in record_of(product).formulas} <= titles


@pytest.mark.parametrize("name", PARTS)
def test_every_part_of_a_tariff_is_checked(name: str) -> None:
    rates = getattr(TARIFF, name)
    broken: Any = {name: replace(rates, part=replace(rates.part, limits={}))}

    faults = check_tariff(replace(TARIFF, **broken))

    assert any(fault.startswith(f"{name}.limits") for fault in faults), "domain/rating/check_tariff.py"


def test_a_retroactive_date_has_its_field_in_requests_and_quotes() -> None:
    for record in all_products():
        if record.retroactive is not None:
            for body in (PolicyDates, QuoteDates):
                hint = get_type_hints(body)[record.retroactive.field]
                assert (str in hint.__args__) is record.retroactive.takes_full_prior_acts, body


@pytest.mark.parametrize("body", [Policy, IndicationRequest])
def test_the_contract_says_how_many_products_there_are(body: type) -> None:
    (said,) = (
        (field.type.extra_json_schema or {})["description"]
        if isinstance(field.type, msgspec.inspect.Metadata)
        else ""
        for field in msgspec.inspect.type_info(body).fields  # type: ignore[attr-defined]
        if field.name == "insurance_product"
    )

    assert f"Which of the {COUNTS[len(InsuranceProduct)]} products" in said, "contract/vocabulary.py"


def test_only_its_record_asks_for_a_product_by_name() -> None:
    source = Path(bindery.__file__).parent
    products = "|".join(InsuranceProduct)
    name = re.compile(rf"\.({products})\b|\bis_({products.lower()})\b")
    naming = {
        str(file.relative_to(source))
        for file in source.rglob("*")
        if file.suffix in {".py", ".html", ".typ"} and name.search(file.read_text("utf-8"))
    }

    assert {file for file in naming if not file.startswith(MAY_NAME_A_PRODUCT)} == set()


@pytest.mark.parametrize("product", InsuranceProduct)
def test_the_gallery_answers_every_question_that_a_product_requires(product: InsuranceProduct) -> None:
    parts = parts_of(msgspec.convert(request_body(product), CreateQuotesRequest))

    read = read_submission(parts, ReadingContext(today=date(2026, 11, 17)))

    assert read.problems == (), "tests/documents/cases.py"


def test_a_new_line_moves_the_days_that_policies_occupy() -> None:
    assert len(Line) == 2, "binds.occupies is stored by the number of lines: migrate it"
