"""A refusal as people read it on a page."""

import re

from bindery.base.errors import BinderyError, WrongState
from bindery.contract.vocabulary import QuoteStatus
from bindery.web.shown.words import STATUS_WORDS


def refusal_in_words(fault: BinderyError) -> str:
    """Return the message of a refusal, with the status of a quote named as pages name it."""
    if not isinstance(fault, WrongState) or fault.status not in set(QuoteStatus):
        return fault.message
    word = STATUS_WORDS[QuoteStatus(fault.status)].text
    return re.sub(rf"\b{re.escape(fault.status)}\b", f"“{word}”", fault.message, count=1)
