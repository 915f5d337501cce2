"""The cases of the gallery: invented companies whose papers are hard to print, each in its own way."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from bindery.cli.gallery import requests
from bindery.cli.gallery.requests import Body, P
from bindery.contract.vocabulary import InsuranceProduct


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A company whose papers are hard to print in some way."""

    key: str
    title: str
    product: InsuranceProduct
    body: Callable[[], Body]
    is_renewal: bool = False
    needs_before_bind: bool = False
    broker_name: str | None = "Robin Example"
    broker_firm: str | None = "Harbor Row Insurance Brokers"


def _of(product: InsuranceProduct) -> Callable[[], Body]:
    return lambda: requests.plain(product)


CASES: Final = (
    *(
        Case(key=str(product), title=f"An ordinary company, {product}", product=product, body=_of(product))
        for product in InsuranceProduct
    ),
    Case(
        key="A",
        title="CYB, California: 400-letter name, 75 domains, red flags, 4,000-letter answers",
        product=P.CYB,
        body=requests.long_texts,
    ),
    Case(
        key="B",
        title="TEO, New York: 15 options, many scripts, retroactive date of 2019",
        product=P.TEO,
        body=requests.many_options,
    ),
    Case(
        key="C",
        title="MPL, Kentucky: full prior acts, 27 services",
        product=P.MPL,
        body=requests.all_services,
    ),
    Case(
        key="D",
        title="TEO, Louisiana: retroactive date, signed legend",
        product=P.TEO,
        body=requests.retroactive_technology,
    ),
    Case(
        key="E",
        title="CYB, California: no MFA, weak scan, canceled",
        product=P.CYB,
        body=requests.weak_security,
    ),
    Case(
        key="F",
        title="CYB, Oregon: nothing optional",
        product=P.CYB,
        body=requests.nothing_optional,
        broker_name=None,
        broker_firm=None,
    ),
    Case(key="G", title="CYB: the scan failed", product=P.CYB, body=requests.failed_scan),
    Case(
        key="H",
        title="CYB: something is owed before the bind",
        product=P.CYB,
        body=_of(P.CYB),
        needs_before_bind=True,
    ),
    *(
        Case(
            key=f"R-{product}",
            title=f"A renewal, {product}",
            product=product,
            body=_of(product),
            is_renewal=True,
        )
        for product in InsuranceProduct
    ),
)
