from enum import StrEnum


class Action(StrEnum):
    """The effect of an answer or an industry by itself.

    `decline` refers as well, with the recommendation to decline: only a person declines.
    """

    QUOTE = "quote"
    REFER = "refer"
    DECLINE = "decline"
