from collections.abc import Sequence

from bindery.actions.reprice_quote import reprice_quote
from bindery.domain.practice import Practice
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.repricing import ChangedTerms
from bindery.storage.database import Reader


async def preview_terms(
    tx: Reader, practice: Practice, quotes: Sequence[Quote], *, changed: ChangedTerms
) -> list[Quote]:
    """Price quotes on other terms as an approval would; change nothing.

    Raises:
        InvalidRequest: the tariff has no price for those terms.
    """
    return [await reprice_quote(tx, practice, quote, changed=changed) for quote in quotes]
