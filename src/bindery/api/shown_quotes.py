from collections import OrderedDict
from typing import Final

from bindery.storage.quote_view import Glance

MOST: Final = 2_000
"""About 15 MB of answers."""


class ShownQuotes:
    """The answers given last, by the state of the quote they show.

    Partners poll: the same quote is asked for again and again while nothing changes. One look at its state by
    the key tells whether the answer of before still holds.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._answers: OrderedDict[Glance, bytes] = OrderedDict()

    def find(self, state: Glance) -> bytes | None:
        """Give the answer for this state, if it was given lately."""
        answer = self._answers.get(state)
        if answer is not None:
            self._answers.move_to_end(state)
        return answer

    def keep(self, state: Glance, answer: bytes) -> None:
        """Keep an answer; the one longest not asked for goes."""
        self._answers[state] = answer
        if len(self._answers) > self._most:
            self._answers.popitem(last=False)
