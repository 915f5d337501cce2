"""What a kept form would send, in words: which form it is, for which company, and what was typed in it."""

import re
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.drafts.fields import QUESTION
from bindery.domain.questions.question import QUESTIONS
from bindery.storage.database import Reader
from bindery.storage.desk import broker_questions
from bindery.storage.signing import client_links
from bindery.storage.submission import drafts, submissions
from bindery.web.frame.route import PARAMETER
from bindery.web.frame.visit import Visit, read_number
from bindery.web.shown.words import PRODUCTS, american

FORMS: Final[Mapping[str, str]] = {
    "/sign-out": "Sign out",
    "/account/password": "Change your password",
    "/account/scheme": "Choose light or dark",
    "/account/mails": "Choose your mails",
    "/account/confirm": "Confirm that it is you",
    "/account/two-step": "Sign in with a code too",
    "/account/keys": "Turn keys on or off",
    "/sure": "A step that asks once more",
    "/live/left": "Leave a case",
    "/company/{company_id}/broker": "Hand the company over",
    "/company/{company_id}/another": "Ask for another option",
    "/company/{company_id}/send": "Send to the client",
    "/quote/{quote_id}/uploads": "Upload a file",
    "/quote/{quote_id}/bind": "Bind an option",
    "/quote/{quote_id}/bind/preview": "Check a bind",
    "/quote/{quote_id}/withdraw": "Withdraw an option",
    "/question/{question_id}": "Answer the underwriter",
    "/link/{link_id}/again": "Send a link to the client again",
    "/link/{link_id}/take-back": "Take a link back from the client",
    "/policy/{quote_id}/cancel": "Ask for cancellation",
    "/policy/{quote_id}/change": "Change the policy",
    "/policy/{quote_id}/changes/{change_id}/accept": "Accept a change of the policy",
    "/policy/{quote_id}/changes/{change_id}/withdraw": "Withdraw a change of the policy",
    "/policy/{quote_id}/certificates/one": "Issue a certificate",
    "/policy/{quote_id}/certificates/many": "Issue certificates from a list",
    "/policy/{quote_id}/renewal": "Change how the policy renews",
    "/new": "Begin a quote",
    "/draft/{draft_id}/company": "Company of a draft",
    "/draft/{draft_id}/company/save": "Company of a draft",
    "/draft/{draft_id}/questions": "Questions of a draft",
    "/draft/{draft_id}/questions/save": "Questions of a draft",
    "/draft/{draft_id}/options": "Options of a draft",
    "/draft/{draft_id}/options/save": "Options of a draft",
    "/draft/{draft_id}/review": "Send the quote request",
    "/draft/{draft_id}/ask": "Ask the client",
    "/draft/{draft_id}/letter": "Send a broker-of-record letter",
    "/draft/{draft_id}/answers": "Take over the client's answers",
    "/draft/{draft_id}/delete": "Delete a draft",
    "/desk/next": "Take the next case",
    "/desk/take": "Take cases",
    "/desk/hand-over": "Hand cases over",
    "/desk/renewals/{quote_id}": "Decide on the renewal",
    "/desk/letters/{letter_id}": "Decide on a broker-of-record letter",
    "/desk/case/{submission_id}/preview": "Recalculate a case",
    "/desk/case/{submission_id}/second": "Answer a colleague",
    "/desk/case/{submission_id}/decide": "Decide a case",
    "/desk/case/{submission_id}/change": "Decide on a change of the policy",
    "/desk/case/{submission_id}/offer": "Offer another option",
    "/desk/case/{submission_id}/take": "Take a case",
    "/desk/case/{submission_id}/note": "Add a note",
    "/desk/case/{submission_id}/ask": "Ask the broker",
    "/desk/case/{submission_id}/go-on": "Go on without an answer",
    "/desk/case/{submission_id}/contingency": "Change what is needed",
    "/ops/partners": "Add a partner",
    "/ops/partners/{key}/brokers": "Add a broker",
    "/ops/partners/{key}/remove-broker": "Remove a broker",
    "/ops/partners/{key}/contact": "Change a partner's contact",
    "/ops/partners/{key}/tokens": "Issue a token",
    "/ops/partners/{key}/revoke": "Revoke a token",
    "/ops/users": "Add a user",
    "/ops/users/{user_id}": "Change a user",
    "/ops/users/{user_id}/invitation": "Invite a user",
    "/ops/users/{user_id}/role": "Change a user's role",
    "/ops/users/{user_id}/authority": "Change a user's authority",
    "/ops/webhooks/{webhook_id}": "Try a webhook",
    "/ops/webhooks/{webhook_id}/step": "Change a webhook",
    "/ops/webhooks/{webhook_id}/recover": "Send again to a webhook",
    "/ops/deliveries/{delivery_id}": "Send a delivery again",
    "/ops/jobs": "Start failed jobs again",
    "/ops/mails/{mail_id}": "Send a mail again",
    "/ops/filings/calendar": "Change the calendar of filings",
    "/ops/filings/{state}/{code}/{period}": "Record a filing",
    "/ops/bordereaux/{bordereau_id}/sent": "Record a bordereau as sent",
}
"""Every form of a user, by the address that it is sent to."""

_NAMED: Final[Mapping[str, str]] = {
    "aggregate_limit": "Limit",
    "aggregate_retention": "Retention",
    "app_attestation": "Your statements",
    "cell_phone": "Phone",
    "client.address.street2": "Suite",
    "client.address.zip": "ZIP",
    "client.broker_email": "Broker",
    "client.domains": "Websites and email domains",
    "client.insured_main_contact.cell_phone": "Contact's phone",
    "client.insured_main_contact.email": "Contact's email",
    "client.insured_main_contact.first_name": "Contact's first name",
    "client.insured_main_contact.last_name": "Contact's last name",
    "client.name": "Legal name",
    "client.revenue": "Revenue, last 12 months",
    "client.secondary_broker_email": "Second broker",
    "deviation": "Percent off the tariff",
    "dba": "Also trades as",
    "effective": "Effective date",
    "expiration": "Expiration date",
    "mpl_retroactive_date": "Retroactive date",
    "teo_retroactive_date": "Retroactive date",
    "percent": "Percent off the tariff",
    "policy.dates.effective": "First day of cover",
    "policy.dates.expiration": "Last day",
    "policy.quotes": "Options",
    "secondary_broker_email": "Secondary broker",
    "send_to": "To",
    "street2": "Suite, floor or unit",
    "zip": "ZIP code",
}
"""Fields whose names do not say what their pages call them."""
_CHOICES: Final = frozenset(
    {
        "app_attestation", "cancel_reason", "canceled_by", "closed_as", "contingency_type", "decision",
        "kind", "prior_acts", "purpose", "renewal", "role", "scheme", "wording",
    }
)  # fmt: skip
"""Fields whose values are names of ours, and no text of the user's."""
_NOT_TYPED: Final = re.compile(
    r"step|key|token|form|back|then|to|known|marks|copies|company|shown.*|seen.*|version.*|on_page|take|was|since|"
    r"taken_by|view|sort|questions\.seen|username|has_keys|.*_id"
)
_YES_NO: Final = {"true": "Yes", "false": "No", "on": "Yes", "yes": "Yes", "no": "No"}
LONGEST: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptWords:
    form: str
    company: str
    typed: tuple[tuple[str, str], ...]


async def kept_words(visit: Visit, to: str, fields: Iterable[tuple[str, str]]) -> KeptWords:
    path = urlsplit(to)
    form, found = _form_of(path.path)
    beside = dict(parse_qsl(path.query))
    async with visit.runtime.database.reading() as tx:
        company = await _company_of(tx, {**beside, **found}, partner_id=visit.partner_id)
    return KeptWords(form=form, company=company, typed=typed_in_words(fields))


def _form_of(path: str) -> tuple[str, Mapping[str, str]]:
    """Return the words for a form and what its address names; addresses in full are looked at first."""
    for address in sorted(FORMS, key=lambda known: "{" in known):
        found = re.fullmatch(PARAMETER.sub(r"(?P<\1>[^/]+)", address), path)
        if found is not None:
            return FORMS[address], found.groupdict()
    return "", {}


async def _company_of(tx: Reader, named: Mapping[str, str], *, partner_id: int | None) -> str:
    """Return the name of the company that a form is for; empty if it is for none that the user may see."""
    ids = {name: Visit.as_id(text) for name, text in named.items()}
    quote_id = ids.get("quote_id")
    if question_id := ids.get("question_id"):
        question = await broker_questions.find(tx, question_id, partner_id=partner_id)
        quote_id = question.quote_id if question is not None else None
    if partner_id is not None and (draft_id := ids.get("draft_id")):
        draft = await drafts.find(tx, draft_id, partner_id=partner_id)
        return next(iter(draft.fields.get("client.name", ())), "") if draft is not None else ""
    if partner_id is not None and (link_id := ids.get("link_id")):
        link = await client_links.find(tx, link_id, partner_id=partner_id)
        quote_id = link.quote_id if link is not None else None
    return await submissions.name_of(
        tx,
        company_id=read_number(named.get("company_id", "")),
        quote_id=quote_id,
        submission_id=ids.get("submission_id"),
        partner_id=partner_id,
    )


def typed_in_words(fields: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return each field that was filled in under its label, several values of one as a list."""
    typed: dict[str, list[str]] = {}
    for name, value in fields:
        if value and not _NOT_TYPED.fullmatch(name) and not _is_id(value):
            typed.setdefault(name, []).append(_in_words(name, value))
    return tuple((label_of(name), _cut(", ".join(values))) for name, values in typed.items())


def label_of(name: str) -> str:
    if name.startswith(QUESTION):
        return _question(name.removeprefix(QUESTION))
    if name in _NAMED:
        return _NAMED[name]
    # A field of one of several options or contingencies ends in its number or id.
    words = name.rpartition(".")[2].partition("-")[0].replace("_", " ")
    return f"{words[:1].upper()}{words[1:]}"


def _question(number: str) -> str:
    sets = QUESTIONS.all[-1].sets.values()
    return next((known.text for asked in sets for known in asked if known.id == number), number)


def _in_words(name: str, value: str) -> str:
    if value in set(InsuranceProduct):
        return PRODUCTS[InsuranceProduct(value)]
    if name.startswith((QUESTION, "may_", "has_", "is_")):
        return _YES_NO.get(value, value)
    if name in _CHOICES:
        return value.replace("_", " ").capitalize()
    return american(value) if _is_date(value) else value


def _is_date(value: str) -> bool:
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return len(value) == len("2026-11-17")


def _is_id(value: str) -> bool:
    try:
        uuid.UUID(value)
    except ValueError:
        return False
    return True


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
