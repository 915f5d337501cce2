-- Lists for partners, the newest first: a page costs the same however many rows a partner has.

create index submissions_of_partner on submissions (partner_id, product, created_at, submission_id);
create index submissions_of_broker on submissions (broker_id, created_at, submission_id);
-- Read backwards: the newest submission first, and its options in order.
create index quotes_by_status on quotes
    (partner_id, product, status, created_at, submission_id, option_number desc);
create index policies_of_partner on binds (partner_id, asked_at, quote_id) where policy_number is not null;

-- What of `client.metadata` can be searched by. Hardly any submission has it, so the body is not indexed itself.
create table submission_metadata (
    partner_id integer not null,
    key text not null check (length(key) <= 255),
    value text not null check (length(value) <= 255),
    created_at timestamptz not null,
    submission_id uuid not null references submissions,
    primary key (partner_id, key, value, created_at, submission_id)
);
create index metadata_of_submission on submission_metadata (submission_id);

insert into submission_metadata (partner_id, key, value, created_at, submission_id)
select s.partner_id, pair.key, pair.value #>> '{}', s.created_at, s.submission_id
from (select * from submissions where strpos(body, '"metadata"') > 0 or strpos(body, '\u00') > 0) s
cross join lateral (select (s.body::json #> '{client,metadata}') as sent) m
cross join lateral json_each(case json_typeof(m.sent) when 'object' then m.sent end) pair
where json_typeof(pair.value) in ('string', 'number', 'boolean')
  and length(pair.key) <= 255 and length(pair.value #>> '{}') <= 255
on conflict do nothing;
