from enum import StrEnum


class Action(StrEnum):
    """What an answer or an industry asks for by itself.

    `decline` refers as well, with the recommendation to decline: only a person declines.
    """

    QUOTE = "quote"
    REFER = "refer"
    DECLINE = "decline"
