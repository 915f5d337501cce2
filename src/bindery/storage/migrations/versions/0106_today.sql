-- Indexes are built in the step's transaction, all of it or nothing: writers wait for one pass over each table.
-- squawk-ignore-file require-concurrent-index-creation

-- When a broker last opened the page of a company: an answer that was looked at is no news any more.
create table company_looks (
    user_id integer not null references users,
    company_id integer not null references companies,
    looked_at timestamptz not null,
    primary key (user_id, company_id)
);
create index company_looks_by_time on company_looks (user_id, looked_at);

-- What is due for one partner, by day: the sweeps have the same rows of all partners together.
create index quotes_ending_of_partner on quotes (partner_id, expires_on) where status = 'published';
create index binders_of_partner on binds (partner_id, fulfil_by) where in_force and issued_on is null;
create index terms_of_partner on binds (partner_id, expiration) where in_force and issued_on is not null;
create index desk_of_partner on desk_items (partner_id, due_at, item_id) where closed_at is null;
create index answers_of_partner on desk_items (partner_id, closed_at) where closed_at is not null;

-- The partner who owes it before a bind as well: a person asked for it, or the bind waits for it. Null for what is
-- asked of every quote and owed from the bind on.
alter table contingencies add column owed_by integer;
update contingencies c set owed_by = q.partner_id
from quotes q
where q.quote_id = c.quote_id and c.status = 'open'
  and (c.kind = 'underwriter' or c.type = 'pre_bind' or c.asked_again_at is not null);
create index contingencies_owed on contingencies (owed_by, contingency_id)
    where owed_by is not null and status = 'open';
