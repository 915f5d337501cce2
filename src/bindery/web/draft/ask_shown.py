"""What a draft shows of its client: what can be asked, the links that were sent, and what was answered."""

from collections.abc import Sequence
from dataclasses import dataclass

from bindery.domain.applicant.risk import bare_id
from bindery.domain.drafts.client_answers import answered_fields, answered_otherwise
from bindery.domain.drafts.draft import Draft
from bindery.domain.drafts.draft_applicant import DraftApplicant
from bindery.domain.drafts.fields import QUESTION
from bindery.domain.questions.layout import lay_out
from bindery.domain.signing.client_link import ClientLink, LinkStatus
from bindery.web.company.links_shown import ShownLink
from bindery.web.draft.field_words import in_words
from bindery.web.draft.step_shown import name_of
from bindery.web.shown.words import Times, counted, day_of_year


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question without an answer; `brings_up`: others may come up under it."""

    id: str
    text: str
    brings_up: bool


@dataclass(frozen=True, slots=True)
class OpenSection:
    title: str
    questions: tuple[OpenQuestion, ...]


@dataclass(frozen=True, slots=True)
class TwoAnswers:
    """A question that the client answered otherwise than the draft has it."""

    name: str
    text: str
    ours: str
    typist: str
    theirs: str


@dataclass(frozen=True, slots=True)
class AnsweredLink:
    """What a client answered; the broker chooses between the answers of `differing`."""

    link_id: str
    client: str
    says: str
    is_open: bool
    differing: tuple[TwoAnswers, ...]


@dataclass(frozen=True, slots=True)
class ClientCard:
    """The client at the side of a draft: how many questions are open, and what became of those asked."""

    open: str
    links: tuple[ShownLink, ...] = ()
    answered: tuple[AnsweredLink, ...] = ()


def open_questions(applicant: DraftApplicant) -> tuple[OpenSection, ...]:
    """Return what is required and has no answer, by section."""
    missing = applicant.required - applicant.answers.values.keys()
    found = []
    for section in lay_out(applicant.questions, applicant.circumstances):
        tops = {top.question.bare_id for top in section.asked if top.follow_ups}
        asked = tuple(
            OpenQuestion(question.id, question.text, question.bare_id in tops)
            for question in section
            if question.bare_id in missing
        )
        if asked:
            found.append(OpenSection(section.title, asked))
    return tuple(found)


def open_in_words(applicant: DraftApplicant) -> str:
    count = len(applicant.required - applicant.answers.values.keys())
    if not count:
        return ""
    return f"{counted(count, 'question')} {'is' if count == 1 else 'are'} open."


def shown_answers(
    links: Sequence[ClientLink], draft: Draft, applicant: DraftApplicant, times: Times
) -> tuple[AnsweredLink, ...]:
    return tuple(
        _answered(link, draft, applicant, times) for link in links if link.status is LinkStatus.ANSWERED
    )


def _answered(link: ClientLink, draft: Draft, applicant: DraftApplicant, times: Times) -> AnsweredLink:
    answers = answered_fields(link.answers)
    is_open = link.taken_at is None
    differing = (
        tuple(
            TwoAnswers(
                name=name,
                text=_text_of(name, applicant),
                ours=", ".join(map(in_words, draft.fields[name])),
                typist=name_of(draft.typists.get(name, "")),
                theirs=", ".join(map(in_words, answers[name])),
            )
            for name in answered_otherwise(draft.fields, answers)
        )
        if is_open
        else ()
    )
    assert link.settled_at is not None, "a link that was answered is settled"
    on = day_of_year(link.settled_at.astimezone(times.zone).date())
    said = f"{link.client} answered {counted(len(answers), 'question')} on {on}."
    return AnsweredLink(
        str(link.link_id), link.client, f"{said} {_then(link, differing)}", is_open, differing
    )


def _then(link: ClientLink, differing: tuple[TwoAnswers, ...]) -> str:
    if link.taken_by is not None:
        return f"{link.taken_by} took the answers over."
    if differing:
        count = len(differing)
        return f"{count} of them {'differs' if count == 1 else 'differ'} from what the draft has."
    return "The answers are filled in." if link.taken_at is not None else "The answers are to be taken over."


def _text_of(name: str, applicant: DraftApplicant) -> str:
    question_id = name.removeprefix(QUESTION)
    question = applicant.questions.find(question_id)
    return question.text if question else f"{question_id}, which is not asked any more"


def not_asked_any_more(links: Sequence[ClientLink], applicant: DraftApplicant, times: Times) -> str:
    """Return what to say about links that ask what another edition, product or revenue leaves out."""
    laid_out = {
        question.bare_id
        for section in lay_out(applicant.questions, applicant.circumstances)
        for question in section
    }
    waiting = [link for link in links if link.status_at(times.now) in {LinkStatus.SENT, LinkStatus.OPENED}]
    gone = {asked for link in waiting for asked in link.asked if bare_id(asked) not in laid_out}
    if not gone:
        return ""
    count = len(gone)
    asked = f"{counted(count, 'question')} that {'was' if count == 1 else 'were'} sent"
    return f"{asked} to the client {'is' if count == 1 else 'are'} not asked any more, and left out there."
