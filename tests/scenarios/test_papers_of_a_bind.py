"""What the papers of a bind say about it, read back from the PDFs: nothing is owed, or exactly what is."""

import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from bindery.contract.documents import DocumentType as D
from bindery.contract.vocabulary import ContingencyStatus
from bindery.domain.documents.facts import read_option_facts, write_facts
from documents.reading import text_of
from support.binding import bind, decide, issue, move_to, quoted, shown
from support.intake import professional, technology
from support.service import Service, request_body

pytestmark = pytest.mark.usefixtures("clock_at_day")
PRODUCTS: dict[str, Callable[[], dict[str, Any]]] = {
    "CYB": request_body,
    "TEO": technology,
    "MPL": professional,
}
SIGNED = "signed and dated"
END = date(2028, 3, 2)


async def one_option(service: Service, body: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    asked = body()
    asked["policy"]["quotes"] = asked["policy"]["quotes"][:1]
    (quote,) = await quoted(service, asked)
    return quote


async def read(service: Service, kind: D, quote: dict[str, Any]) -> str:
    answer = await service.get(f"/v2/quotes/{kind}/{quote['quote_identifier']}")
    assert answer.status_code == 200, answer.text
    return text_of(answer.content)


async def check_nothing_is_owed(service: Service, policy: dict[str, Any]) -> None:
    assert (policy["binder"]["conditional"], policy["binder"]["fulfil_by"]) == (False, None)
    binder = await read(service, D.BINDER, policy)
    assert "Coverage is bound without conditions." in binder
    letter = await read(service, D.SECURITY_LETTER, policy)
    assert "What the binder depends on Nothing: no" in letter
    for text in (binder, letter, await read(service, D.BILLING_STATEMENT, policy)):
        assert "onditional" not in text
        assert "lapses" not in text
        assert "What is still owed" not in text
        assert SIGNED not in text
    certificate = await read(service, D.CERTIFICATE, policy)
    assert "has been issued by Example Specialty Insurance Company" in certificate
    assert policy["policy_number"] in certificate


async def test_documents_of_a_policy_issued_at_once_and_of_its_renewal_say_that_nothing_is_owed(
    service: Service, subtests: pytest.Subtests
) -> None:
    policies = {
        product: await issue(service, await one_option(service, body)) for product, body in PRODUCTS.items()
    }
    for product, policy in policies.items():
        with subtests.test(product):
            await check_nothing_is_owed(service, policy)

    await move_to(service, END)

    for product, policy in policies.items():
        with subtests.test(f"renewal of {product}"):
            expired = await shown(service, policy["quote_identifier"])
            renewal = await shown(service, expired["renewal"]["renewed_by"])
            assert renewal["policy_number"].endswith("-01")
            await check_nothing_is_owed(service, renewal)


async def test_documents_of_a_conditional_binder_say_what_is_owed_and_by_when(
    service: Service, subtests: pytest.Subtests
) -> None:
    for product, body in PRODUCTS.items():
        with subtests.test(product):
            await check_what_is_owed(service, await bind(service, await one_option(service, body)))


async def check_what_is_owed(service: Service, bound: dict[str, Any]) -> None:
    proof = {"type": "post_bind", "text": "Proof of backups"}
    await decide(service, bound, "add_contingency", contingency=proof)
    binder = await read(service, D.BINDER, bound)
    assert "This binder is conditional. It lapses at the end of March 31, 2027" in binder
    owed = binder[binder.index("What is still owed") :]
    assert SIGNED in owed
    assert "Proof of backups" in owed
    assert "The binder is conditional and lapses at the end of March 31, 2027" in await read(
        service, D.BILLING_STATEMENT, bound
    )
    letter = await read(service, D.SECURITY_LETTER, bound)
    assert SIGNED in letter
    assert "The binder lapses at the end of March 31, 2027" in letter


async def test_a_binder_that_was_frozen_before_its_policy_was_issued_at_once_says_so_too(
    service: Service,
) -> None:
    policy = await issue(service, await one_option(service, request_body))
    await keep_as_before_the_issue(service, policy)

    await check_nothing_is_owed(service, policy)


async def keep_as_before_the_issue(service: Service, policy: dict[str, Any]) -> None:
    """Write the frozen binder as it was once written: the signature open, the day of the issue not known."""
    pool, quote_id = service.runtime.database.pool, uuid.UUID(policy["quote_identifier"])
    stored = await pool.fetchval(
        "select facts from packets where quote_id = $1 and packet = 'binder'", quote_id
    )
    kept = read_option_facts(stored)
    assert kept.binding is not None
    earlier = replace(
        kept,
        binding=replace(kept.binding, issued_on=None),
        contingencies=tuple(replace(owed, status=ContingencyStatus.OPEN) for owed in kept.contingencies),
    )
    await pool.execute(
        "update packets set facts = $2 where quote_id = $1 and packet = 'binder'",
        quote_id,
        write_facts(earlier),
    )
