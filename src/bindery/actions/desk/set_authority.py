from bindery.base.errors import InvalidRequest, NotFound
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.access.deeds import Deed, Doer
from bindery.domain.quote.authority import AuthorityLetter, letter_in_words, problems_of_letter
from bindery.storage.access import users
from bindery.storage.database import Database, Tx
from bindery.storage.desk import authority
from bindery.storage.operations import deeds


async def set_authority(database: Database, user_id: int, letter: AuthorityLetter, *, by: Doer) -> str:
    """Write an underwriter's letter of authority for a product, instead of an earlier one.

    Raises:
        NotFound: there is no such user.
        InvalidRequest: the user is no underwriter, or an amount is out of range.
    """
    if problems := [*problems_of_letter(letter.aggregate_limit, letter.premium, letter.deviation)]:
        raise InvalidRequest.because(problems)
    async with database.transaction() as tx:
        email = await _underwriter(tx, user_id)
        await authority.set_letter(tx, user_id, letter, by=by.name)
        says = letter_in_words(letter)
        await deeds.append(tx, by, Deed.AUTHORITY_SET, email, details=says, user_id=user_id)
    return email


async def remove_authority(database: Database, user_id: int, product: InsuranceProduct, *, by: Doer) -> bool:
    """Revoke a letter of authority; False if none was in force."""
    async with database.transaction() as tx:
        email = await _underwriter(tx, user_id)
        was_there = await authority.remove_letter(tx, user_id, product)
        if was_there:
            await deeds.append(tx, by, Deed.AUTHORITY_REMOVED, email, details=product, user_id=user_id)
    return was_there


async def _underwriter(tx: Tx, user_id: int) -> str:
    email = await authority.lock_underwriter(tx, user_id)
    if email is not None:
        return email
    if await users.find(tx, user_id) is None:
        raise NotFound("There is no such user.")
    raise InvalidRequest.at("email", "no_underwriter", "must be an underwriter's: nobody else decides")
