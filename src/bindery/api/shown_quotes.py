import uuid
from collections import OrderedDict
from typing import Final

from bindery.http.representation import Representation

MOST: Final = 2_000
"""About 20 MB of answers, some of them compressed too."""


class ShownQuotes:
    """The latest answers, each with the version of the quote that it shows.

    Partners poll: the same quote is asked for again and again while nothing changes. Everything that is shown
    raises the quote's version, so one look at that by the key tells whether the last answer still holds.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._answers: OrderedDict[uuid.UUID, tuple[int, Representation]] = OrderedDict()

    def find(self, quote_id: uuid.UUID, version: int) -> Representation | None:
        kept = self._answers.get(quote_id)
        if kept is None or kept[0] != version:
            return None
        self._answers.move_to_end(quote_id)
        return kept[1]

    def keep(self, quote_id: uuid.UUID, version: int, answer: Representation) -> None:
        self._answers[quote_id] = (version, answer)
        self._answers.move_to_end(quote_id)
        if len(self._answers) > self._most:
            self._answers.popitem(last=False)
