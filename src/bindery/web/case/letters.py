"""Broker-of-record letters that wait for an underwriter."""

from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Final

from starlette.responses import Response

from bindery.actions.desk.decide_letter import decide_letter
from bindery.actions.documents.read_document import read_letter
from bindery.base.errors import InvalidRequest, NotFound
from bindery.domain.quote.clearance import key_in_words
from bindery.domain.quote.record_letter import LONGEST_REASON, LetterDecision, RecordLetter
from bindery.storage.database import Reader
from bindery.storage.submission import record_letters
from bindery.web.company.documents import sent_to_be_saved
from bindery.web.company.forms import problems_of
from bindery.web.frame.render import page
from bindery.web.frame.visit import Visit
from bindery.web.shown.words import Moment, Times

MOST: Final = 50
LABELS: Final = {"reason": "The text to the broker"}
DECISIONS: Final = {"accept": LetterDecision.ACCEPTED, "reject": LetterDecision.REJECTED}


@dataclass(frozen=True, slots=True)
class ShownLetter:
    """`shared` is what another organization has too, each in words and by what it is searched for."""

    letter_id: str
    insured: str
    broker: str
    shared: tuple[tuple[str, str], ...]
    file: str
    sent: Moment
    typed: str
    problem: str


async def show_letters(visit: Visit) -> Response:
    return await _page(visit)


async def send_letter_decision(visit: Visit) -> Response:
    """Accept or reject a letter; whoever comes second is told who was first."""
    form, letter_id = await visit.form(), visit.path_id("letter_id")
    decision = DECISIONS.get(form.get("decision", ""))
    reason, runtime = form.get("reason", ""), visit.runtime
    if decision is None:
        return await _page(visit, typed={str(letter_id): (reason, "Accept the letter, or reject it.")})
    try:
        letter = await decide_letter(
            runtime.database, runtime.rules, letter_id, decision, reason=reason, by=visit.user.email
        )
    except InvalidRequest as fault:
        said = " ".join(problem.text for problem in problems_of(fault, LABELS))
        return await _page(visit, typed={str(letter_id): (reason, f"{LABELS['reason']} {said}")})
    name = letter.insured or "The insured"
    if (letter.decision, letter.decided_by) != (decision, visit.user.email):
        said = f"\N{WARNING SIGN} {name}: the letter was {letter.decision} before by {letter.decided_by}."
    elif decision is LetterDecision.ACCEPTED:
        said = f"{name}: the letter is accepted. {letter.uploaded_by} can send the quote, and is told."
    else:
        said = f"{name}: the letter is rejected. {letter.uploaded_by} is told why."
    return await visit.done("/desk/letters", said)


async def send_letter_file(visit: Visit) -> Response:
    async with visit.runtime.database.reading() as tx:
        letter = await record_letters.find(tx, visit.path_id("letter_id"))
    if letter is None:
        raise NotFound("There is no such letter.")
    content = await read_letter(visit.runtime, letter)
    return sent_to_be_saved(content, name=letter.name, content_type=letter.content_type)


async def _page(visit: Visit, *, typed: dict[str, tuple[str, str]] | None = None) -> Response:
    async def read(tx: Reader) -> tuple[list[RecordLetter], datetime]:
        return await record_letters.waiting(tx, limit=MOST), tx.now

    found, now = await visit.runtime.database.read(read)
    times = visit.times(now)
    return page(
        visit,
        "case/letters.html",
        status=HTTPStatus.UNPROCESSABLE_ENTITY if typed else HTTPStatus.OK,
        letters=tuple(_shown(letter, times, typed or {}) for letter in found),
        longest=LONGEST_REASON,
    )


def _shown(letter: RecordLetter, times: Times, typed: dict[str, tuple[str, str]]) -> ShownLetter:
    letter_id = str(letter.letter_id)
    text, problem = typed.get(letter_id, ("", ""))
    return ShownLetter(
        letter_id,
        letter.insured or "No name yet",
        letter.uploaded_by,
        tuple((key_in_words(key), key[1] if key[0] == "domain" else "") for key in letter.keys),
        letter.name,
        times.at(letter.uploaded_at),
        text,
        problem,
    )
