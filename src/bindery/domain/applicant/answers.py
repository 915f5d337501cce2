from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from types import MappingProxyType

AnswerValue = bool | int | str | Decimal | date | tuple[str, ...]


def bare_id(question_id: str) -> str:
    """Drop one leading `Q`: `Q2134` and `2134` are the same question."""
    return question_id[1:] if question_id[:1] in {"Q", "q"} else question_id


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers that count, by bare question id, each read into the type of its question."""

    values: Mapping[str, AnswerValue] = field(default_factory=lambda: MappingProxyType({}))

    def get(self, question_id: str) -> AnswerValue | None:
        """Return the answer, or None where the question was not answered."""
        return self.values.get(bare_id(question_id))

    def is_answered(self, question_id: str) -> bool:
        """Whether there is an answer, and not an empty one."""
        return self.get(question_id) not in {None, "", ()}

    def yes(self, question_id: str) -> bool:
        """Whether a yes-or-no question was answered yes."""
        return self.get(question_id) is True

    def no(self, question_id: str) -> bool:
        """Whether a yes-or-no question was answered no; an unanswered one was not."""
        return self.get(question_id) is False

    def chosen(self, question_id: str) -> tuple[str, ...]:
        """Return the options chosen; a single choice counts as one, none given as empty."""
        value = self.get(question_id)
        if isinstance(value, tuple):
            return value
        return (value,) if isinstance(value, str) else ()

    def number(self, question_id: str) -> int | Decimal | None:
        """Return a numeric answer."""
        value = self.get(question_id)
        return value if isinstance(value, int | Decimal) and not isinstance(value, bool) else None
