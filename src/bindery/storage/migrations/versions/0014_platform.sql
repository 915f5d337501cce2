-- The people's side.

create table users (
    user_id integer generated always as identity primary key,
    email text not null unique check (email = lower(email)),
    name text not null,
    role text not null check (role in ('broker', 'underwriter', 'operator')),
    partner_id integer references partners,
    -- Without one nobody signs in with a password; the demo's own users have none.
    password_hash text,
    scheme text not null default 'system' check (scheme in ('system', 'light', 'dark')),
    created_at timestamptz not null,
    disabled_at timestamptz,
    -- One user, one role; a broker belongs to a partner, and nobody else does.
    check ((role = 'broker') = (partner_id is not null))
);

-- Who is signed in, in which browser. Real time: the demo's moving clock signs nobody out.
create table sign_ins (
    token_sha256 bytea primary key,
    user_id integer not null references users,
    created_at timestamptz not null,
    seen_at timestamptz not null,
    expires_at timestamptz not null,
    address text not null,
    browser text not null,
    -- When the password was given last: the most dangerous steps ask for it again.
    confirmed_at timestamptz not null,
    -- What the next page tells the user of the last step.
    banner text
);
create index sign_ins_of_user on sign_ins (user_id);
create index sign_ins_by_end on sign_ins (expires_at);

create table sign_in_failures (
    key text not null,
    at timestamptz not null
);
create index sign_in_failures_by_key on sign_in_failures (key, at);
create index sign_in_failures_by_time on sign_in_failures (at);

-- What waits for an underwriter: one row for a submission and kind, open until nothing of it waits any more.
-- Written in the transaction of whatever changes it, so the desk never disagrees with the statuses.
create table desk_items (
    item_id bigint generated always as identity primary key,
    submission_id uuid not null references submissions,
    kind text not null check (kind in ('referral', 'bind', 'paper')),
    company_id integer not null,
    partner_id integer not null,
    product text not null,
    name text not null,
    aggregate_limit integer not null,
    -- The dearest option: one of them will be bound, so never their sum.
    at_stake bigint not null,
    reasons text[] not null,
    is_decline_advised boolean not null,
    opened_at timestamptz not null,
    due_at timestamptz not null,
    taken_by integer references users,
    closed_at timestamptz
);
create unique index one_open_item on desk_items (submission_id, kind) where closed_at is null;
create index desk_by_due on desk_items (due_at, item_id) where closed_at is null;
create index desk_by_stake on desk_items (at_stake desc, item_id) where closed_at is null;
create index desk_by_product on desk_items (product, due_at, item_id) where closed_at is null;
create index desk_by_kind on desk_items (kind, due_at, item_id) where closed_at is null;
create index desk_by_taker on desk_items (taken_by, due_at, item_id) where closed_at is null;
create index desk_by_reason on desk_items using gin (reasons) where closed_at is null;
create index desk_by_end on desk_items (closed_at desc) where closed_at is not null;

-- What was waiting before there was a desk.
insert into desk_items (submission_id, kind, company_id, partner_id, product, name, aggregate_limit, at_stake,
                        reasons, is_decline_advised, opened_at, due_at)
select q.submission_id, case q.status when 'quote_referred' then 'referral' else 'bind' end,
       s.company_id, s.partner_id, s.product, s.name,
       max(coalesce(q.aggregate_limit, q.requested_aggregate_limit)),
       coalesce(max(coalesce(q.premium, (q.assessment::json ->> 'rated_premium')::bigint)), 0),
       coalesce(array_agg(distinct r.reason ->> 'code') filter (where r.reason is not null), '{}'),
       coalesce(bool_or(r.reason ->> 'recommendation' = 'decline'), false),
       min(q.updated_at), min(q.updated_at) + interval '24 hours'
from quotes q
join submissions s using (submission_id)
left join lateral json_array_elements(q.assessment::json -> 'reasons') as r(reason) on true
where q.status in ('quote_referred', 'quote_bind_requested')
group by q.submission_id, 2, s.company_id, s.partner_id, s.product, s.name;

create function tell_desk_changed() returns trigger language plpgsql as $$
begin
    perform pg_notify('bindery_desk', new.submission_id::text);
    return null;
end $$;
create trigger desk_changed after insert or update on desk_items
    for each row execute function tell_desk_changed();

-- What underwriters write down for each other.
create table desk_notes (
    note_id bigint generated always as identity primary key,
    submission_id uuid not null references submissions,
    user_id integer not null references users,
    at timestamptz not null,
    text text not null
);
create index notes_of_submission on desk_notes (submission_id, note_id);

create function refuse_change_of_note() returns trigger language plpgsql as $$
begin
    raise exception 'notes are append-only';
end $$;
create trigger notes_are_append_only before update or delete or truncate on desk_notes
    execute function refuse_change_of_note();

-- Lists and search.
create index companies_of_partner on companies (partner_id, created_at desc, company_id desc);
create index companies_by_time on companies (created_at desc, company_id desc);
create index submissions_by_words on submissions using gin (to_tsvector('simple', name));
