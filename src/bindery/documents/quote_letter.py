"""The letter that offers the terms: what it costs, what it covers, what is still owed, how to bind."""

from collections.abc import Iterator

from bindery.base.numbers import in_dollars
from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import ContingencyType
from bindery.documents import layout
from bindery.documents.declarations import cuts, marks
from bindery.documents.plain_text import Whole
from bindery.documents.wording import endorsement, pieces, typographic
from bindery.domain.business_rules import long_date
from bindery.domain.documents.facts import DocumentFacts, Renewal
from bindery.domain.documents.forms import FormKind
from bindery.domain.policy.contingencies import in_the_way
from bindery.domain.policy.policy import minimum_earned
from bindery.domain.products import record_of

NO_ANSWER = "not asked"


def renewal(facts: DocumentFacts, before: Renewal) -> layout.Content:
    return {
        "policy_number": Whole(before.policy_number),
        "expiration": long_date(before.expiration),
        "continuity": long_date(before.continuity),
        "rows": list(_rows(facts, before)),
        "answers": [
            [typographic(answer.text), _answer(answer.before), _answer(answer.now)]
            for answer in before.answers
        ],
        "found": list(before.found),
        "settled": list(before.settled),
    }


def _rows(facts: DocumentFacts, before: Renewal) -> Iterator[list[str]]:
    offer = layout.offer_of(facts)
    yield ["Premium", in_dollars(before.premium), in_dollars(offer.premium), _change(before, offer.premium)]
    expired = dict(layout.terms_of(before.terms))
    for label, now in layout.terms_of(facts.terms):
        last = expired.get(label, layout.NOTHING)
        yield [label, last, now, "as before" if last == now else "changed"]
    yield from _changed_forms(facts, before)
    score = facts.scan.score if facts.scan else None
    if score is not None or before.score is not None:
        yield ["Security score", _score(before.score), _score(score), _moved(before.score, score)]


def _changed_forms(facts: DocumentFacts, before: Renewal) -> Iterator[list[str]]:
    """Name forms by number and title that the renewal gains or loses; facts of old did not keep them."""
    if not before.forms:
        return
    expiring, offered = (
        {form.form_number: form for form in forms} for forms in (before.forms, facts.forms.policy)
    )
    for number, form in (expiring | offered).items():
        if number not in expiring or number not in offered:
            held = [number if number in forms else layout.NOTHING for forms in (expiring, offered)]
            yield [typographic(form.title), *held, "added" if number in offered else "no longer attached"]


def _change(before: Renewal, premium: int) -> str:
    if premium == before.premium:
        return "as before"
    percent = round(100 * (premium - before.premium) / before.premium, 1)
    return f"{percent:+.1f}%".replace("-", "\N{MINUS SIGN}")


def _score(score: int | None) -> str:
    return layout.NOTHING if score is None else f"{score} of 100"


def _moved(before: int | None, now: int | None) -> str:
    if before is None or now is None:
        return layout.NOTHING
    return "as before" if before == now else f"{now - before:+d} points".replace("-", "\N{MINUS SIGN}")


def _answer(answer: str | None) -> str:
    return NO_ANSWER if answer is None else answer.replace("\n", ", ")


def _services_scope(facts: DocumentFacts) -> list[str]:
    """Return the words of the endorsement that schedules the services, so that letter and policy agree."""
    for form in facts.forms.policy:
        wording = endorsement(form, facts.form_edition.edition) if form.kind is FormKind.ENDORSEMENT else {}
        if wording.get("schedule_of") == "professional_services":
            return pieces(wording["text"][0])
    return []


def quote_letter_input(facts: DocumentFacts) -> layout.DocumentInput:
    offer = layout.offer_of(facts)
    if facts.valid_until is None:
        raise layout.MissingFacts(f"Quote {facts.quote_identifier} has no last day")
    content = {
        **layout.basics(
            facts,
            DocumentType.QUOTE_LETTER,
            title=f"{'Renewal of' if facts.renewal else 'Quote for'} {record_of(facts.product).title}",
            footnote="A quote, not a binder. Coverage is placed with a surplus lines insurer.",
            reference=f"Quote {facts.quote_identifier}",
        ),
        "reference": [
            ["Quote", Whole(facts.quote_identifier)],
            ["Valid until", long_date(facts.valid_until)],
        ],
        "date": long_date(facts.issued_on),
        "greeting": layout.greeting(facts),
        "scanned": facts.has_report,
        "valid_until": long_date(facts.valid_until),
        "retroactive": layout.retroactive(facts),
        "premium": layout.cents(offer.premium),
        "minimum_earned": layout.cents(minimum_earned(offer.premium)),
        "terrorism": layout.cents(offer.terrorism) if offer.terrorism else None,
        "terrorism_basis": layout.terrorism_basis(offer),
        "terrorism_form": layout.number_of(facts, "TRIA 0500"),
        "program_ends": long_date(layout.TERRORISM_PROGRAM_ENDS),
        "beyond_program": layout.outlasts_terrorism_program(facts),
        "terms": layout.terms_of(facts.terms),
        "coverages": layout.coverage_rows(offer.coverages, marks(facts)),
        "premium_rows": layout.premium_rows(offer),
        "total": layout.cents(offer.total),
        "tariff_edition": offer.tariff_edition,
        "pre_bind": layout.still_owed(facts, ContingencyType.PRE_BIND),
        "post_bind": layout.still_owed(facts, ContingencyType.POST_BIND),
        "received": layout.received(facts),
        "needs_signature": any(
            contingency.is_signature and contingency.is_open for contingency in facts.contingencies
        ),
        "needs_review": bool(in_the_way(facts.contingencies)),
        "renewal": renewal(facts, facts.renewal) if facts.renewal else None,
        "services": layout.services(facts),
        "services_scope": _services_scope(facts),
        "cuts": cuts(facts),
        "forms": layout.parted_form_rows(
            facts.forms.quote, facts.forms.policy, DocumentType.QUOTE_LETTER, packet="quote"
        ),
        "notice": layout.notice_content(facts),
    }
    return layout.DocumentInput(facts.issued_on, content)
