-- Policies whose domains are scanned again, and the day of the next turn. A row stays until a turn finds that the
-- cover is over.
create table watched_policies (
    quote_id uuid primary key references quotes,
    due_on date not null
);
create index policies_to_rescan on watched_policies (due_on);

-- Every scan of a policy's domains while it was in force.
create table rescans (
    quote_id uuid not null references quotes,
    scanned_at timestamptz not null,
    outcome text not null,
    score smallint,
    -- The findings known after it, and those that were new and severe: JSON, read whole.
    known text not null,
    alarming text not null,
    primary key (quote_id, scanned_at)
);
create index rescans_by_age on rescans (scanned_at);

-- Policies that are in force already come to their next turn; 32 random bits of the id spread them over the days.
insert into watched_policies (quote_id, due_on)
select quote_id,
       first_on + 30 * case when first_on > current_date then 0 else (current_date - first_on) / 30 + 1 end
from (
    select quote_id,
           greatest(bound_on, effective) + 1
           + (('x' || right(replace(quote_id::text, '-', ''), 8))::bit(32)::bigint % 30)::int as first_on
    from binds where in_force and product in ('CYB', 'TEO')
) as turns;
