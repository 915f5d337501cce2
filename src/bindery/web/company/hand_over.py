"""Handing a company over to a colleague: a small form, a page that says what it leads to, and the deed."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus

from starlette.responses import Response

from bindery.actions.submission.hand_over_company import hand_over_company
from bindery.base.errors import InvalidRequest, Problem
from bindery.domain.access.caller import Caller
from bindery.domain.access.users import Role
from bindery.domain.quote.handing_over import BrokersOfCompany, HandedOver, decide_hand_over
from bindery.domain.quote.lifecycle import OVER, WERE_BOUND
from bindery.domain.quote.quote import Quote
from bindery.storage.access import partners, users
from bindery.storage.submission import submissions
from bindery.web.company.book import find_company
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit
from bindery.web.shown.words import counted, listed


async def show_hand_over(visit: Visit) -> Response:
    return await _show(visit)


async def send_hand_over(visit: Visit) -> Response:
    """Ask once more, or hand the company over; what was typed stays where it is refused."""
    form = await visit.form()
    wanted, seen = _brokers(form), _brokers(form, "seen_")
    company_id = visit.path_number("company_id")
    if form.get("step") != "hand_over":
        return await _show(visit, wanted, seen=seen)
    caller = Caller(partner_id=visit.user.partner_id or 0, actor=visit.actor)
    try:
        done = await hand_over_company(visit.runtime.database, caller, company_id, wanted, seen=seen)
    except InvalidRequest as fault:
        return await _show(visit, wanted, seen=seen, problems=fault.problems)
    is_new = isinstance(done, HandedOver)
    said = f"The company is with {wanted.broker}{'' if is_new else ' already'}."
    return await visit.done(f"/company/{company_id}", said)


def _brokers(form: Mapping[str, str], prefix: str = "") -> BrokersOfCompany:
    broker = form.get(f"{prefix}broker_email", "").lower()
    return BrokersOfCompany(broker, form.get(f"{prefix}secondary_broker_email", "").lower() or None)


async def _show(
    visit: Visit,
    wanted: BrokersOfCompany | None = None,
    *,
    seen: BrokersOfCompany | None = None,
    problems: Sequence[Problem] = (),
) -> Response:
    company_id, partner_id = visit.path_number("company_id"), visit.user.partner_id or 0
    async with visit.runtime.database.reading() as tx:
        records = await find_company(tx, company_id, partner_id=partner_id)
        now = await submissions.brokers_of(tx, company_id, partner_id=partner_id)
        brokers = [broker.email for broker in await partners.brokers_of(tx, partner_id)]
        colleagues = sorted({*brokers, *await partners.users_of(tx, partner_id)})
        names = await users.names_by_email(tx, colleagues, role=Role.BROKER)
    assert now is not None, "a company that is shown was submitted"
    sentence = ""
    if wanted is not None and not problems:
        try:
            asked = decide_hand_over(now, wanted, seen=seen or now, brokers=brokers, colleagues=colleagues)
        except InvalidRequest as fault:
            problems = fault.problems
        else:
            quotes = [record.quote for record in records]
            if isinstance(asked, HandedOver):
                sentence = what_follows(asked, quotes, names)
            else:
                problems = [
                    Problem("broker_email", "duplicate_items", "is with the company already: choose another")
                ]
    typed = wanted or now
    return page(
        visit,
        "company/hand_over.html",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if problems else HTTPStatus.OK,
        number=company_id,
        name=str(records[0].client["name"]),
        now=now,
        typed=typed,
        sentence=sentence,
        verb="Hand over" if typed.broker != now.broker else "Set the secondary broker",
        problems={problem.path: problem.message for problem in problems},
        brokers=_named(sorted(brokers), names),
        colleagues=_named(colleagues, names),
    )


def _named(emails: Sequence[str], names: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(email, names.get(email, email)) for email in emails]


def what_follows(asked: HandedOver, quotes: Sequence[Quote], names: Mapping[str, str]) -> str:
    """Return what handing over leads to, before it is done."""
    said = []
    to, before = (names.get(email, email) for email in (asked.broker, asked.broker_before))
    if asked.broker != asked.broker_before:
        policies = sum(quote.status in WERE_BOUND and quote.status not in OVER for quote in quotes)
        options = sum(quote.status not in {*WERE_BOUND, *OVER} for quote in quotes)
        goes = [counted(options, "open option")] if options else []
        goes += [f"{policies} {'policy' if policies == 1 else 'policies'}"] if policies else []
        along = f" with {listed(goes)}" if goes else ""
        said.append(f"It goes from {before} to {to}{along}. Mails and renewals go to {to} from now on.")
    second, second_before = asked.secondary_broker, asked.secondary_broker_before
    if second is not None and second != second_before:
        said.append(f"{names.get(second, second)} finds it under “Mine” and gets its mails too.")
    elif second != second_before:
        said.append(f"{names.get(second_before or '', second_before)} gets no more mails about it.")
    return " ".join(said)
