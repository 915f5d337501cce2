"""Letters of authority, and the underwriters whose they are."""

import msgspec

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.access.users import Role
from bindery.domain.quote.authority import Authorities, AuthorityLetter, Colleague
from bindery.storage.database import Reader, Tx, columns_of, values_of

_read_letters = msgspec.json.Decoder(tuple[AuthorityLetter, ...]).decode
_COLUMNS = columns_of(AuthorityLetter)

_UNDERWRITERS = """
select u.user_id, u.email, coalesce(nullif(u.name, ''), u.email) as name,
       coalesce((select json_agg(json_build_object(
           'product', l.product, 'aggregate_limit', l.aggregate_limit, 'premium', l.premium,
           'deviation', l.deviation, 'may_cancel', l.may_cancel, 'may_set_by_hand', l.may_set_by_hand)
           order by l.product) from authority_letters l where l.user_id = u.user_id), '[]')::text as letters
from users u where u.role = 'underwriter' and u.disabled_at is null
"""


ALL_AS_JSON = """
select coalesce(json_agg(json_build_object(
    'user_id', u.user_id, 'email', u.email, 'name', coalesce(nullif(u.name, ''), u.email),
    'letters', (select coalesce(json_agg(json_build_object(
        'product', l.product, 'aggregate_limit', l.aggregate_limit, 'premium', l.premium,
        'deviation', l.deviation, 'may_cancel', l.may_cancel, 'may_set_by_hand', l.may_set_by_hand)
        order by l.product), '[]') from authority_letters l where l.user_id = u.user_id))
    order by u.name, u.user_id), '[]')::text
from users u where u.role = 'underwriter' and u.disabled_at is null
"""
"""All underwriters with their letters in one value, for a statement that reads more."""
read_all = msgspec.json.Decoder(tuple[Colleague, ...]).decode


async def read_authorities(tx: Reader, *, is_required: bool) -> Authorities:
    """Read how far everybody may decide; underwriters are few, and all of them are asked whom to ask."""
    return Authorities(tuple(await list_underwriters(tx)), is_required)


async def list_underwriters(tx: Reader, *, email: str | None = None) -> list[Colleague]:
    rows = await tx.connection.fetch(
        f"{_UNDERWRITERS} and ($1::text is null or u.email = lower($1)) order by name, u.user_id", email
    )
    return [
        Colleague(
            user_id=row["user_id"],
            email=row["email"],
            name=row["name"],
            letters=_read_letters(row["letters"]),
        )
        for row in rows
    ]


async def letters_of(tx: Reader, user_id: int) -> list[AuthorityLetter]:
    statement = f"select {_COLUMNS} from authority_letters where user_id = $1 order by product"
    return await tx.rows(AuthorityLetter, statement, user_id)


async def set_letter(tx: Tx, user_id: int, letter: AuthorityLetter, *, by: str) -> None:
    row = {"user_id": user_id, **values_of(letter), "set_at": tx.real_now, "set_by": by}
    changed = ", ".join(f"{name} = excluded.{name}" for name in row if name not in {"user_id", "product"})
    otherwise = f"on conflict (user_id, product) do update set {changed}"
    await tx.insert("authority_letters", row, otherwise=otherwise)


async def remove_letter(tx: Tx, user_id: int, product: InsuranceProduct) -> bool:
    statement = "delete from authority_letters where user_id = $1 and product = $2"
    return await tx.execute(statement, user_id, product) == 1


async def lock_underwriter(tx: Tx, user_id: int) -> str | None:
    """Lock an underwriter and return the address; None if the user is not an underwriter."""
    statement = "select email from users where user_id = $1 and role = $2 for no key update"
    return await tx.find_value(str, statement, user_id, Role.UNDERWRITER)
