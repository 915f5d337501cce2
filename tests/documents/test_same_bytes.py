import hashlib
import subprocess
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Final

import pytest

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents import SHARED_BY_SUBMISSION, render
from documents.cases import facts_of
from documents.reading import plain_document, plain_facts
from support.press import plain_press

D = DocumentType
P = InsuranceProduct
TESTS: Final = Path(__file__).parent.parent
IN_ANOTHER_PROCESS: Final = """
import hashlib
from documents.reading import plain_document
from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
for kind in DocumentType:
    print(hashlib.sha256(plain_document(kind, InsuranceProduct.TEO)).hexdigest())
"""


@pytest.mark.parametrize("kind", list(D))
def test_the_same_facts_make_the_same_bytes(kind: D) -> None:
    first = plain_document(kind, P.CYB)

    again = render(kind, plain_facts(kind, P.CYB))

    assert again == first


@pytest.mark.long
def test_another_process_makes_the_same_bytes() -> None:
    here = [hashlib.sha256(plain_document(kind, P.TEO)).hexdigest() for kind in D]

    run = subprocess.run(
        [sys.executable, "-c", IN_ANOTHER_PROCESS],
        env={"PYTHONPATH": str(TESTS), "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert run.stdout.split() == here


def test_threads_do_not_disturb_each_other() -> None:
    kinds = [D.QUOTE_LETTER, D.APPLICATION, D.BINDER, D.BILLING_STATEMENT] * 2
    alone = [plain_document(kind, P.CYB) for kind in kinds]

    with ThreadPoolExecutor(max_workers=4) as threads:
        together = list(threads.map(lambda kind: render(kind, plain_facts(kind, P.CYB)), kinds))

    assert together == alone


@pytest.mark.parametrize("kind", sorted(SHARED_BY_SUBMISSION))
def test_the_options_of_a_submission_share_these(kind: D) -> None:
    first = facts_of(option=0)
    other = facts_of(option=1, quote_id=uuid.UUID("019a5b6c-7d8e-7f90-a1b2-000000000000"))
    later = replace(other, issued_on=other.issued_on + timedelta(days=9))

    assert first.offer != later.offer
    assert render(kind, first) == render(kind, later)


@pytest.mark.parametrize("kind", [D.QUOTE_LETTER, D.APPLICATION])
def test_the_options_of_a_submission_have_these_for_themselves(kind: D) -> None:
    first = facts_of(option=0)
    other = facts_of(option=1, quote_id=uuid.UUID("019a5b6c-7d8e-7f90-a1b2-000000000000"))

    assert render(kind, first) != render(kind, other)


def test_the_press_of_the_long_stories_leaves_nothing_behind() -> None:
    genuine = render(DocumentType.POLICY_SPECIMEN, facts_of())

    with plain_press():
        plain = render(DocumentType.POLICY_SPECIMEN, facts_of())

    assert plain != genuine
    assert render(DocumentType.POLICY_SPECIMEN, facts_of()) == genuine
