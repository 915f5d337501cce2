"""Search that forgives: by parts of numbers, names, domains and contacts, and with one wrong letter."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from bindery.base.nearest import one_letter_off
from bindery.domain.submission.value import client_of
from bindery.storage.conditions import Conditions
from bindery.storage.database import Reader, Tx
from bindery.storage.lists.company_list import named
from bindery.storage.submission.submissions import StoredSubmission

MOST_TEXTS: Final = 200
"""How many texts a search looks at; to see more, give more of the name."""
MOST_WORDS: Final = 8
MOST_WRONG: Final = 3
"""In how many words a wrong letter is looked for: each of them is some hundred words to look up."""
LEAST_PART: Final = 3
LEAST_WRONG: Final = 4
LONGEST_WRONG: Final = 24
MOST_OF_KIND: Final = 20
"""Domains or contacts of a submission by which it is found; it may have 75 of them."""
LONGEST_TEXT: Final = 300


class Kind(StrEnum):
    """What a company was found by, the plainest first."""

    POLICY = "policy"
    COMPANY = "company"
    NAME = "name"
    DBA = "dba"
    DOMAIN = "domain"
    CONTACT = "contact"


NUMBERS: Final = (Kind.POLICY, Kind.COMPANY)


class Way(StrEnum):
    BEGINNING = "beginning"
    PART = "part"
    WRONG_LETTER = "wrong_letter"


@dataclass(frozen=True, slots=True)
class FoundText:
    company_id: int
    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """The companies that were found, each by the plainest of its texts; `way` is how they were."""

    hits: Sequence[FoundText] = ()
    way: Way = Way.BEGINNING


async def write(tx: Tx, submissions: Sequence[StoredSubmission]) -> None:
    """Keep what the companies of these submissions are found by."""
    rows = [(stored, *text) for stored in submissions for text in _texts(stored)]
    # In one order, so that two that write the same rows never wait for each other.
    rows.sort(key=lambda row: (row[0].company_id, row[1], row[2]))
    await tx.execute(
        """
        insert into search_texts (company_id, partner_id, kind, text, words)
        select company_id, partner_id, kind, text, search_words(kind, text)
        from unnest($1::int[], $2::int[], $3::text[], $4::text[]) as given(company_id, partner_id, kind, text)
        on conflict do nothing
        """,
        [stored.company_id for stored, _, _ in rows],
        [stored.partner_id for stored, _, _ in rows],
        [kind for _, kind, _ in rows],
        [text for _, _, text in rows],
    )


def _texts(stored: StoredSubmission) -> list[tuple[Kind, str]]:
    submission, client = stored.submission, client_of(stored.body)
    given = [(Kind.COMPANY, str(stored.company_id)), (Kind.NAME, submission.name)]
    given += [(Kind.DBA, submission.trade_name or "")]
    given += [(Kind.DOMAIN, domain) for domain in submission.domains[:MOST_OF_KIND]]
    contacts = (client.get("insured_main_contact"), *(client.get("additional_contacts") or ()))
    given += [(Kind.CONTACT, _contact(contact or {})) for contact in contacts[:MOST_OF_KIND]]
    cut = [(kind, text.replace("\x00", "").strip()[:LONGEST_TEXT]) for kind, text in given]
    return list(dict.fromkeys((kind, text) for kind, text in cut if text))


def _contact(contact: Mapping[str, Any]) -> str:
    return " ".join(str(contact[key]) for key in ("first_name", "last_name", "email") if contact.get(key))


async def search(
    tx: Reader, text: str, *, partner_id: int | None, kinds: Sequence[Kind] = tuple(Kind)
) -> Found:
    """Find companies: by beginnings of words, else by parts of them, else with a wrong letter in one.

    Each step is taken only when those before it found nothing. Parts are looked for only where the server has
    the index for them, which needs pg_trgm.
    """
    row = await tx.connection.fetchrow("select folded($1), to_regclass('search_texts_by_parts')", text)
    assert row is not None, "a statement that always has a row"
    words = row[0].split()[:MOST_WORDS]
    if not words:
        return Found()
    number = "".join(words) if any(map(str.isdigit, row[0])) else None
    beginning = " & ".join(map(_begins, words))
    asked = f"({beginning}) | {_begins(number)}" if number and len(words) > 1 else beginning
    if found := await _by_words(tx, asked, partner_id, kinds):
        return Found(found)
    if Kind.NAME in kinds and (found := await _just_submitted(tx, text, partner_id)):
        return Found(found)
    parts = [number] if number else [word for word in words if len(word) >= LEAST_PART]
    if row[1] is not None and parts and (found := await _by_parts(tx, parts, partner_id, kinds)):
        return Found(found, Way.PART)
    near = " & ".join(_near(words))
    if near != beginning and (found := await _by_words(tx, near, partner_id, kinds)):
        return Found(found, Way.WRONG_LETTER)
    return Found()


def _begins(word: str) -> str:
    # Words are folded: none has a quote or a backslash.
    return f"'{word}':*"


def _near(words: Sequence[str]) -> Iterator[str]:
    wrong = 0
    for word in words:
        if word.isalpha() and LEAST_WRONG <= len(word) <= LONGEST_WRONG and wrong < MOST_WRONG:
            wrong += 1
            near = sorted(f"'{other}'" for other in one_letter_off(word))
            yield f"({' | '.join((_begins(word), *near))})"
        else:
            yield _begins(word)


async def _by_words(
    tx: Reader, query: str, partner_id: int | None, kinds: Sequence[Kind]
) -> Sequence[FoundText]:
    conditions = Conditions()
    conditions.where("search_vector(words) @@ {}::text::tsquery", query)
    return await _find(tx, conditions, partner_id, kinds)


async def _by_parts(
    tx: Reader, parts: Sequence[str], partner_id: int | None, kinds: Sequence[Kind]
) -> Sequence[FoundText]:
    conditions = Conditions()
    for part in parts:
        # `%` and `_` are signs, and a folded word has none.
        conditions.where("words like {}", f"%{part}%")
    return await _find(tx, conditions, partner_id, kinds)


async def _just_submitted(tx: Reader, text: str, partner_id: int | None) -> Sequence[FoundText]:
    """Find companies by the names of submissions: a worker that is late has not written their texts yet."""
    conditions = Conditions()
    names = named(conditions, text, partner_id)
    statement = f"""
    select distinct on (company_id) company_id, 'name' as kind, name as text
    from (select company_id, name from submissions where {names} limit {MOST_TEXTS}) found
    """
    return await tx.rows(FoundText, statement, *conditions.values)


async def _find(
    tx: Reader, conditions: Conditions, partner_id: int | None, kinds: Sequence[Kind]
) -> Sequence[FoundText]:
    """Return the texts that match, one for each company: the plainest."""
    conditions.where_if_given("partner_id = {}", partner_id)
    conditions.where("kind = any({}::text[])", list(kinds))
    statement = f"""
    select company_id, kind, text from search_texts {conditions.clause} limit {MOST_TEXTS}
    """
    found = await tx.rows(FoundText, statement, *conditions.values)
    order = list(Kind)
    found.sort(key=lambda hit: (order.index(hit.kind), hit.text.casefold(), hit.company_id))
    plainest: dict[int, FoundText] = {}
    for hit in found:
        plainest.setdefault(hit.company_id, hit)
    return list(plainest.values())


MOST_KNOWN: Final = 3
"""A name that more companies have says nothing yet."""
LEAST_KNOWN: Final = 4


@dataclass(frozen=True, slots=True)
class KnownCompany:
    company_id: int
    name: str
    city: str


async def known(tx: Reader, name: str, domains: Sequence[str], *, partner_id: int) -> Sequence[KnownCompany]:
    """Find the few companies of a partner whose name begins so, word by word, or that have such a domain."""
    if len(name) < LEAST_KNOWN and not domains:
        return ()
    statement = f"""
    with asked as (
        select kind, text, (
            select string_agg(quote_literal(word) || case kind when 'name' then ':*' else '' end, ' & ')
            from regexp_split_to_table(folded(text), ' ') word where word <> '')::tsquery as query
        from unnest($2::text[], $3::text[]) as given(kind, text)
    ), found as (
        select distinct t.company_id from asked a join search_texts t on search_vector(t.words) @@ a.query
        where t.partner_id = $1
          and (a.kind = 'name' and t.kind in ('name', 'dba') or a.kind = 'domain' and t.text = a.text)
        limit {MOST_KNOWN + 1}
    )
    select f.company_id, s.name, coalesce(s.body::jsonb #>> '{{client,address,city}}', '') as city
    from found f join lateral (
        select name, body from submissions s where s.company_id = f.company_id
        order by s.created_at desc limit 1) s on true
    order by s.name, f.company_id
    """
    asked = [(Kind.NAME, name)] if len(name) >= LEAST_KNOWN else []
    asked += [(Kind.DOMAIN, domain) for domain in domains[:MOST_KNOWN]]
    kinds, texts = [kind for kind, _ in asked], [text for _, text in asked]
    found = await tx.rows(KnownCompany, statement, partner_id, kinds, texts)
    return found if len(found) <= MOST_KNOWN else ()
