"""The step Company: who is insured, found in the book while it is typed, and its industry found by words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from starlette.responses import RedirectResponse, Response

from bindery.actions.submission.fill_draft import fill_draft
from bindery.actions.submission.save_draft import SavedDraft
from bindery.domain.applicant.industries import Action, Industry, find_industry, search_industries
from bindery.domain.applicant.risk import FULL_PRIOR_ACTS
from bindery.domain.applicant.us_states import state_names
from bindery.domain.drafts.applicant import ApplicantSoFar, applicant_so_far
from bindery.domain.drafts.draft import DraftStep
from bindery.domain.drafts.draft_applicant import read_applicant
from bindery.domain.drafts.fields import COMPANY, CONTACTS, DOMAINS, METADATA, PRODUCT, REVENUE, body_of
from bindery.domain.drafts.merging import written_marks
from bindery.domain.products import all_products, record_of
from bindery.http.quote_request import find_conflict
from bindery.storage.access import partners
from bindery.storage.lists.search import KnownCompany, known
from bindery.storage.submission import record_letters
from bindery.web.draft.carried import carried_by, leave_out, take_in_contacts
from bindery.web.draft.letter_shown import ShownBlock, shown_block
from bindery.web.draft.price_shown import shown_price
from bindery.web.draft.questions_shown import progress_of
from bindery.web.draft.step import (
    GO,
    MARKS,
    OpenDraft,
    StepShown,
    address_of,
    go_on,
    open_draft,
    partner_of,
    save_form,
    save_step,
    show_step,
)
from bindery.web.draft.step_shown import questions_hint
from bindery.web.frame.visit import SEE_OTHER, Visit, read_number

SOUGHT: Final = "industry_q"
KNOWN: Final = "known"
USE: Final = "use-"
WITHOUT: Final = "without-"
USED: Final = (
    "It is a further quote for this company: its last answers are filled in where nothing was typed."
)
MOST_INDUSTRIES: Final = 8
INDUSTRY: Final = "client.industry"
PROGRAM: Final = "policy.program_code"
BROKER: Final = "client.broker_email"
REACHES: Final = {
    record.product: f"policy.dates.{record.retroactive.field}"
    for record in all_products()
    if record.retroactive is not None
}
NAMES: Final = (
    PRODUCT,
    "client.name",
    "client.revenue",
    DOMAINS,
    INDUSTRY,
    "client.address.street",
    "client.address.city",
    "client.address.zip",
    "client.address.state",
    "client.address.street2",
    "policy.dates.effective",
    "policy.dates.expiration",
    *REACHES.values(),
    "client.dba",
    "client.insured_main_contact.first_name",
    "client.insured_main_contact.last_name",
    "client.insured_main_contact.email",
    "client.insured_main_contact.cell_phone",
    BROKER,
    "client.secondary_broker_email",
    PROGRAM,
)
CARRIED: Final = frozenset({CONTACTS, METADATA})
LOOKED_UP: Final = frozenset(
    {"client.name", DOMAINS, COMPANY, *(name for name in NAMES if name.startswith("client.address."))}
)
"""What a company of the book, and a broker-of-record block, are found by."""
PRICED: Final = frozenset(
    {PRODUCT, REVENUE, INDUSTRY, "client.address.zip", "client.address.state"}
    | {name for name in NAMES if name.startswith("policy.dates.")}
)
"""What the price range, and which questions are asked, depend on."""
PRODUCTS: Final = tuple((record.product, record.short_title) for record in all_products())
STATES: Final = (("", "By the ZIP"), *state_names().items())
APPETITE: Final = {
    Action.QUOTE: ("open", "Quoted"),
    Action.REFER: ("wait", "Underwriter decides"),
    Action.DECLINE: ("bad", "Usually declined"),
}


@dataclass(frozen=True, slots=True)
class ShownIndustry:
    code: str
    title: str
    reason: str
    dot: str
    word: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class ShownReach:
    product: str
    name: str
    day: str
    takes_full_prior_acts: bool
    is_full_prior_acts: bool


async def show_company(visit: Visit) -> Response:
    return await show_step(visit, DraftStep.COMPANY, shown)


async def save_company(visit: Visit) -> Response:
    take_in_contacts(await visit.form_fields())
    return await save_step(visit, DraftStep.COMPANY, pieces)


async def send_company(visit: Visit) -> Response:
    """Save the step; a company of the book, or industries that were searched for, come before going on."""
    form = await visit.form()
    go, sought = form.get(GO, "next"), form.get(SOUGHT, "")
    if go.startswith(WITHOUT):
        await _leave_out(visit, go.removeprefix(WITHOUT))
    take_in_contacts(await visit.form_fields())
    saved = await save_form(visit)
    draft = saved.draft
    here = address_of(draft.draft_id, DraftStep.COMPANY)
    if draft.sent_as is not None or saved.conflicts:
        return await go_on(visit, DraftStep.COMPANY, saved)
    if go.startswith(USE) and (company_id := read_number(go.removeprefix(USE))) is not None:
        await fill_draft(visit.runtime.database, visit.user, draft.draft_id, company_id)
        return await visit.done(here, USED)
    if go.startswith(WITHOUT):
        return RedirectResponse(
            f"{address_of(draft.draft_id, DraftStep.COMPANY, check='1')}#carried", SEE_OTHER
        )
    if go == "find" or (go == "next" and sought and not form.get(INDUSTRY)):
        found = address_of(draft.draft_id, DraftStep.COMPANY, **{SOUGHT: sought})
        return RedirectResponse(f"{found}#client.industry", SEE_OTHER)
    if go == "next" and KNOWN not in form and not draft.typed(COMPANY):
        body = body_of(draft.fields, await visit.runtime.database.today())
        if await _known(visit, applicant_so_far(body)):
            return RedirectResponse(f"{here}#known", SEE_OTHER)
    return await go_on(visit, DraftStep.COMPANY, saved)


async def _leave_out(visit: Visit, what: str) -> None:
    """Take something that the draft carries along out of the form, also where the page did not send it."""
    sent = await visit.form_fields()
    leave_out(sent, what)
    if what in CARRIED:
        draft = (await open_draft(visit)).draft
        marks = f"{dict(sent).get(MARKS, '')} {written_marks((what,), draft.fields)}"
        sent[:] = [*((name, value) for name, value in sent if name != MARKS), (MARKS, marks)]
        if what == CONTACTS:
            leave_out(sent, "contact")


async def shown(visit: Visit, opened: OpenDraft) -> StepShown:
    applicant = applicant_so_far(opened.body)
    brokers = await brokers_of(visit)
    sought = await _sought(visit)
    chosen = opened.typed(INDUSTRY)
    company_id = opened.typed(COMPANY)
    programs, program = visit.runtime.settings.programs, opened.typed(PROGRAM)
    names = tuple(name for name in NAMES if programs or program or name != PROGRAM)
    carried = carried_by(opened.fields)
    return StepShown(
        (*names, *((COMPANY,) if company_id else ()), *carried.names),
        {
            "typed": {name: opened.typed(name) for name in names},
            "products": PRODUCTS,
            "industries": _industries(sought, chosen),
            "sought": sought,
            "states": _with_typed(STATES, opened.typed("client.address.state")),
            "brokers": _with_typed(tuple((email, email) for email in brokers), opened.typed(BROKER)),
            "broker": opened.typed(BROKER) or own_broker(visit, brokers),
            "programs": _with_typed((("", "None"), *((code, code) for code in programs)), program),
            "reaches": tuple(_reaches(opened)),
            "company_id": company_id,
            "known": () if company_id else await _known(visit, applicant),
            "block": await _block(visit, opened.draft.draft_id, applicant, opened.request.company_id),
            "price": shown_price(opened.applicant),
            "carried": carried,
        },
    )


async def pieces(visit: Visit, saved: SavedDraft) -> StepShown:
    """Return what changes on the page while it is typed in; what did not change is not looked up again."""
    draft, sought = saved.draft, await _sought(visit)
    company_id = draft.typed(COMPANY)
    values: dict[str, object] = {"problems": {}, "sought": sought, "company_id": company_id}
    if sought:
        values["industries"] = _industries(sought, draft.typed(INDUSTRY))
    if saved.changed & LOOKED_UP:
        applicant = applicant_so_far(body_of(draft.fields, saved.today))
        values["known"] = () if company_id else await _known(visit, applicant)
        values["block"] = await _block(visit, draft.draft_id, applicant, read_number(company_id))
    if saved.changed & PRICED:
        known_so_far = read_applicant(body_of(draft.fields, saved.today), saved.today)
        values["price"] = shown_price(known_so_far)
        values["questions_hint"] = questions_hint(progress_of(known_so_far, known_so_far.questions))
    return StepShown((COMPANY,) if company_id else (), values)


def _with_typed(offered: Sequence[tuple[str, str]], typed: str) -> tuple[tuple[str, str], ...]:
    """Return what can be chosen, and what a file had instead: only somebody's choice takes its place."""
    if not typed or typed in dict(offered):
        return tuple(offered)
    return (*offered, (typed, f"{typed} (cannot be chosen)"))


def _reaches(opened: OpenDraft) -> Iterator[ShownReach]:
    """Yield the retroactive dates of all products; the page shows that of the product that is chosen."""
    for product, name in REACHES.items():
        rule = record_of(product).retroactive
        values = opened.fields.get(name, ())
        yield ShownReach(
            product,
            name,
            next((text for text in values if text != FULL_PRIOR_ACTS), ""),
            takes_full_prior_acts=rule is not None and rule.takes_full_prior_acts,
            is_full_prior_acts=FULL_PRIOR_ACTS in values,
        )


async def _sought(visit: Visit) -> str:
    if visit.request.method == "POST":
        return (await visit.form()).get(SOUGHT, "")
    return visit.word(SOUGHT)


async def brokers_of(visit: Visit) -> list[str]:
    async with visit.runtime.database.reading() as tx:
        return sorted(broker.email for broker in await partners.brokers_of(tx, partner_of(visit)))


def own_broker(visit: Visit, brokers: Sequence[str]) -> str:
    """Return the broker that a new quote is for until another is chosen."""
    return visit.user.email if visit.user.email in brokers else next(iter(brokers), "")


async def _known(visit: Visit, applicant: ApplicantSoFar) -> Sequence[KnownCompany]:
    async with visit.runtime.database.reading() as tx:
        return await known(tx, applicant.name, applicant.domains, partner_id=partner_of(visit))


async def _block(
    visit: Visit, draft_id: UUID, applicant: ApplicantSoFar, company_id: int | None
) -> ShownBlock | None:
    """Return why the company cannot be quoted by whoever submits it now; None if it can."""
    if not applicant.domains and not applicant.address_key:
        return None
    conflict = await find_conflict(visit.runtime, partner_of(visit), applicant, company_id)
    if not conflict.kinds:
        return None
    async with visit.runtime.database.reading() as tx:
        letter = None if conflict.is_own else await record_letters.newest_of_draft(tx, draft_id)
    return shown_block(conflict, letter, visit.times(tx.now))


def _industries(sought: str, chosen: str) -> tuple[ShownIndustry, ...]:
    found, _ = search_industries(sought, most=MOST_INDUSTRIES)
    # Whoever types a code has chosen it.
    picked = chosen or (sought if sought in {industry.code for industry in found} else "")
    listed = [find_industry(picked)] if picked else []
    listed += [industry for industry in found if industry.code != picked]
    return tuple(_industry(industry, picked) for industry in listed)


def _industry(industry: Industry, picked: str) -> ShownIndustry:
    dot, word = APPETITE[industry.action]
    title = industry.title or "Not a NAICS 2022 code: rated by what it begins with"
    code = industry.code or ""
    return ShownIndustry(code, title, industry.reason or "", dot, word, code == picked)
