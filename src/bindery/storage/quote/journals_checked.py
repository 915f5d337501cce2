"""Journals checked where they are stored, so that only those in doubt have to be read."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bindery.contract.vocabulary import QuoteStatus
from bindery.storage.database import Reader

CONTENT: Final = """
'["' || quote_id || '",' || entry || ',"' || event_id || '",'
|| trunc(extract(epoch from at)::float8 * 1000000)::bigint || ',' || to_json(actor)
|| ',' || to_json(trigger) || ',' || coalesce(to_json(status_before)::text, 'null')
|| ',' || to_json(status_after) || ',' || coalesce(to_json(level)::text, 'null')
|| ',' || coalesce(sequence::text, 'null') || ',' || coalesce(to_json(type)::text, 'null')
|| ',' || to_json(data) || ']'
"""
"""What an entry's hash is made of after that of the entry before it, `JournalEntry.hash` written in SQL."""

# Has its doubts about each journal in which `flaws_of` finds anything: what is checked there is checked here.
# A doubt is no finding: a whole journal that is doubted is read for nothing.
_CHECKED: Final = f"""
with entries as (
    select quote_id, entry, previous_hash, hash, status_before, status_after, level, sequence, type,
           sha256(coalesce(previous_hash, '') || convert_to({CONTENT}, 'UTF8')) = hash as is_unchanged
    from journal where quote_id = any($1)
), followed as (
    select e.quote_id, e.type,
           e.is_unchanged
           and e.entry = row_number() over chain
           and coalesce(e.previous_hash, '') = coalesce(lag(e.hash) over chain, '')
           and e.status_before is not distinct from lag(e.status_after) over chain
           and e.status_after in ({", ".join(f"'{status}'" for status in QuoteStatus)})
           and case e.level
                   when 'quote' then e.sequence = count(*) filter (where e.level = 'quote') over chain
                   when 'policy' then e.sequence = count(*) filter (where e.level = 'policy') over chain
                   else e.level is null
               end
           and (e.entry < q.journal_entries
                or (e.hash = q.journal_hash and e.status_after = q.status
                    and q.quote_events = count(*) filter (where e.level = 'quote') over chain
                    and q.policy_events = count(*) filter (where e.level = 'policy') over chain))
           as is_whole
    from entries e join quotes q using (quote_id)
    window chain as (partition by e.quote_id order by e.entry)
), journals as (
    select quote_id, count(*) as entries, count(type) as events,
           bool_and(coalesce(is_whole, false)) as is_whole
    from followed group by quote_id
)
select count(*) as journals, coalesce(sum(j.events), 0)::bigint as events,
       coalesce(array_agg(q.quote_id order by q.quote_id)
                filter (where j.is_whole is not true or j.entries <> q.journal_entries), '{{}}') as doubtful
from quotes q left join journals j using (quote_id) where q.quote_id = any($1)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedJournals:
    """How many journals were checked, how many events they tell of, and which have to be read."""

    journals: int
    events: int
    doubtful: tuple[uuid.UUID, ...]


async def check_some(tx: Reader, quote_ids: Sequence[uuid.UUID]) -> CheckedJournals:
    checked = await tx.row(CheckedJournals, _CHECKED, list(quote_ids))
    assert checked, "an aggregate has a row"
    return checked
