"""What a client answered by a link, as it comes into the draft that the questions are of.

An answer comes into a field that is still empty. Where the broker has typed something else meanwhile, both
are kept, and the broker chooses.
"""

from collections.abc import Collection, Mapping

import msgspec

from bindery.domain.drafts.draft import Draft
from bindery.domain.drafts.fields import QUESTION, Fields
from bindery.domain.drafts.merging import Merged, TypedByOther


class KeptAnswer(msgspec.Struct, frozen=True):
    """An answer as a link keeps it: like one of `questions` in a request."""

    id: str
    value: str | tuple[str, ...]


def written_answers(answers: Mapping[str, tuple[str, ...]], several: Collection[str]) -> str:
    """Write answers by question as a link keeps them; `several` are the questions that take a list."""
    kept = [
        KeptAnswer(question_id, values if question_id in several else values[-1])
        for question_id, values in answers.items()
    ]
    return msgspec.json.encode(kept).decode()


def answered_fields(answers: str | None) -> dict[str, tuple[str, ...]]:
    """Return what a client answered as fields of a draft."""
    found = msgspec.json.decode(answers or "[]", type=tuple[KeptAnswer, ...])
    return {
        QUESTION + answer.id: (answer.value,) if isinstance(answer.value, str) else answer.value
        for answer in found
    }


def answered_otherwise(fields: Fields, answers: Fields) -> tuple[str, ...]:
    """Return the fields that hold something else than the client answered."""
    return tuple(name for name, values in answers.items() if not _is_same(fields.get(name, values), values))


def _is_same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    # A long list has what is chosen first.
    return sorted(one) == sorted(other)


def taken_over(draft: Draft, answers: Fields, *, by: str, chosen: Collection[str] = ()) -> Merged:
    """Put the answers into a draft: into empty fields, and in place of what stands in the `chosen` ones.

    What an answer takes the place of stays beside it; where nothing was chosen yet, the answer does, and the
    field is one of the `conflicts`.
    """
    fields, typists, others = dict(draft.fields), dict(draft.typists), dict(draft.others)
    conflicts = []
    for name, values in answers.items():
        stands = fields.get(name)
        if stands is not None and _is_same(stands, values):
            continue
        if stands is not None and name not in chosen:
            conflicts.append(name)
            others[name] = TypedByOther(values, by)
            continue
        if stands is not None:
            others[name] = TypedByOther(stands, typists.get(name, ""))
        fields[name] = values
        typists[name] = by
    return Merged(fields, typists, others, tuple(conflicts))
