"""What an endorsement says was changed: each thing as it was and as it is."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import Any, Final

from bindery.base.numbers import in_dollars
from bindery.contract.changes import AdditionalInsured, PolicyChangeAsk
from bindery.domain.documents.forms import Form
from bindery.domain.documents.notices import Changed, ChangedItem
from bindery.domain.policy.change_ask import TERM_FIELDS, InsuredNow, changed_contacts, changed_submission
from bindery.domain.policy.changing import PricedChange
from bindery.domain.quote.quote import Quote

TERM_LABELS: Final[Mapping[str, str]] = {
    "aggregate_limit": "Aggregate limit",
    "per_claim_limit": "Per-claim limit",
    "aggregate_retention": "Retention",
    "per_claim_retention": "Retention, each claim",
}


def changed_event(
    quote: Quote, now: InsuredNow, asked: PolicyChangeAsk, priced: PricedChange, *, number: int, on: date
) -> Changed:
    """Return the event of a change; `quote` and `now` are as they were before it."""
    return Changed(
        on=on,
        number=number,
        effective=priced.effective,
        reason=asked.reason,
        items=tuple(changed_items(quote, now, asked, priced)),
        premium_difference=priced.premium_difference,
        charges=priced.charges,
        premium_before=priced.premium_before,
        premium_after=priced.premium_after,
        days_left=priced.days_left,
        days=priced.days,
    )


def with_forms(event: Changed, before: Collection[Form], after: Collection[Form]) -> Changed:
    """Return a change with the forms that it attaches to the policy, and those that it takes out of it."""
    added = [form for form in after if form not in before]
    ended = [form for form in before if form not in after]
    if not added and not ended:
        return event
    item = ChangedItem(label="Forms", before=_lines(map(_form, ended)), after=_lines(map(_form, added)))
    return replace(event, items=(*event.items, item), new_forms=tuple(form.form_number for form in added))


def _form(form: Form) -> str:
    return f"{form.form_number}, {form.title}"


def changed_items(
    quote: Quote, now: InsuredNow, asked: PolicyChangeAsk, priced: PricedChange
) -> Iterator[ChangedItem]:
    changes, before = asked.changes, now.submission
    after = changed_submission(before, changes)
    rows = [
        *(
            (TERM_LABELS[name], _amount(quote.terms, name), _amount(priced.terms, name))
            for name in TERM_FIELDS
        ),
        ("Named insured", before.name, after.name),
        ("Doing business as", before.trade_name, after.trade_name),
        ("Domains", _lines(before.domains), _lines(after.domains)),
    ]
    if changes.address:
        sent = {name: getattr(changes.address, name) or "" for name in ("street", "street2", "city", "zip")}
        rows.append(("Address", _address(now.client["address"], before.state), _address(sent, before.state)))
    if changes.contacts:
        rows.append(("Contacts", _contacts(now.client), _contacts(changed_contacts(now, changes))))
    if isinstance(changes.additional_insured, list):
        rows.append(("Additional insureds", _named(now.additional), _named(changes.additional_insured)))
    for label, was, is_now in rows:
        if was != is_now:
            yield ChangedItem(label=label, before=was, after=is_now)


def _amount(terms: object, name: str) -> str | None:
    amount: int | None = getattr(terms, name)
    return None if amount is None else in_dollars(amount)


def _lines(values: Iterable[str]) -> str | None:
    return "\n".join(values) or None


def _address(address: Mapping[str, Any], state: str) -> str:
    place = f"{address['city'].strip()}, {state} {address['zip'].strip()}"
    lines = (address["street"].strip(), (address.get("street2") or "").strip(), place)
    return "\n".join(line for line in lines if line)


def _contacts(client: Mapping[str, Any]) -> str | None:
    people = [client.get("insured_main_contact"), *(client.get("additional_contacts") or ())]
    return _lines(_contact(person) for person in people if person)


def _contact(person: Mapping[str, Any]) -> str:
    names = [(person.get(part) or "").strip() for part in ("first_name", "last_name")]
    return ", ".join(part for part in (" ".join(filter(None, names)), person["email"]) if part)


def _named(others: Iterable[AdditionalInsured]) -> str | None:
    return _lines(f"{other.name}, {other.interest}" if other.interest else other.name for other in others)
