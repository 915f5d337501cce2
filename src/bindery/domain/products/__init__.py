"""The products: one record each, looked up here and nowhere else."""

from typing import assert_never

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.products.cyber import CYBER
from bindery.domain.products.professional import PROFESSIONAL
from bindery.domain.products.record import IndustryUse, Line, ProductRecord, RetentionBasis, RetroactiveRule
from bindery.domain.products.technology import TECHNOLOGY

__all__ = [
    "IndustryUse",
    "Line",
    "ProductRecord",
    "RetentionBasis",
    "RetroactiveRule",
    "all_products",
    "products_of",
    "record_of",
]


def record_of(product: InsuranceProduct) -> ProductRecord:
    match product:
        case InsuranceProduct.CYB:
            return CYBER
        case InsuranceProduct.TEO:
            return TECHNOLOGY
        case InsuranceProduct.MPL:
            return PROFESSIONAL
        case _:
            assert_never(product)


def products_of(line: Line) -> tuple[InsuranceProduct, ...]:
    return tuple(record.product for record in all_products() if record.line is line)


def all_products() -> tuple[ProductRecord, ...]:
    return tuple(map(record_of, InsuranceProduct))
