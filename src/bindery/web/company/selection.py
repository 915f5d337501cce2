"""Which option of a company the reader looks at."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bindery.contract.quote import QuoteBody
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.quote.lifecycle import BINDABLE
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.company.submission_shown import SubmissionOnPage
from bindery.web.shown.option import ShownOption


@dataclass(frozen=True, slots=True)
class SelectableOption:
    submission: SubmissionOnPage
    record: QuoteRecord
    body: QuoteBody
    option: ShownOption

    @property
    def owes_papers(self) -> bool:
        """Whether it is a binder that lapses if nothing is sent."""
        is_binder = self.body.binder is not None and self.body.binder.conditional
        return (
            self.body.quote_status is QuoteStatus.POLICY_ACTIVE
            and is_binder
            and any(owed.is_needed and not owed.is_received for owed in self.option.contingencies)
        )

    @property
    def rank(self) -> tuple[bool, ...]:
        """Order candidates: what lapses, what can be bound, what is in force, what is current."""
        is_open = self.body.quote_status in BINDABLE
        return (
            not self.owes_papers,
            not (is_open and self.option.may_bind and not self.submission.renews_by_itself),
            self.body.quote_status is not QuoteStatus.POLICY_ACTIVE,
            not is_open,
            not self.submission.is_current,
        )


@dataclass(frozen=True, slots=True)
class Selected(SelectableOption):
    addresses: Mapping[str, str]
    """The query that selects each option; by quote."""


def select(submissions: Sequence[SubmissionOnPage], wanted: str) -> Selected:
    """Return the option that `wanted` names, by its number or its whole name, or the one that matters most.

    Numbers begin anew with each submission: a number alone means the first current option that has it.
    """
    candidates = sorted(_candidates(submissions), key=lambda candidate: not candidate.submission.is_current)
    named: dict[str, SelectableOption] = {}
    for candidate in candidates:
        named.setdefault(str(candidate.option.number), candidate)
        named[candidate.option.choice] = named[candidate.option.quote_id] = candidate
    chosen = named.get(wanted) or min(candidates, key=lambda candidate: candidate.rank)
    addresses = {
        candidate.option.quote_id: f"?option={_name(candidate.option, named)}" for candidate in candidates
    }
    return Selected(chosen.submission, chosen.record, chosen.body, chosen.option, addresses)


def _name(option: ShownOption, named: Mapping[str, SelectableOption]) -> str:
    number = str(option.number)
    return number if named[number].option is option else option.choice


def _candidates(submissions: Sequence[SubmissionOnPage]) -> Iterator[SelectableOption]:
    for submission in submissions:
        for record, body, option in zip(
            submission.records, submission.bodies, submission.options, strict=True
        ):
            yield SelectableOption(submission, record, body, option)
