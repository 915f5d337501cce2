-- Partners, their brokers and their tokens.

create table partners (
    partner_id integer generated always as identity primary key,
    partner_key text not null unique check (length(partner_key) = 8),
    name text not null unique,
    created_at timestamptz not null
);

create table brokers (
    broker_id integer generated always as identity primary key,
    partner_id integer not null references partners,
    email text not null check (email = lower(email)),
    created_at timestamptz not null,
    unique (partner_id, email)
);

create table tokens (
    token_id text primary key,
    partner_id integer not null references partners,
    environment text not null,
    issued_at timestamptz not null,
    expires_at timestamptz not null,
    revoked_at timestamptz
);

-- Processes keep brokers and revoked tokens in memory and forget them when this channel speaks.
create function tell_access_changed() returns trigger language plpgsql as $$
begin
    perform pg_notify('bindery_access', '');
    return null;
end $$;

create trigger brokers_changed after insert or update or delete or truncate on brokers
    execute function tell_access_changed();
create trigger tokens_changed after update or delete or truncate on tokens
    execute function tell_access_changed();

-- Identifiers of version 0.1, filled by an operator.
create table legacy_ids (
    kind text not null check (kind in ('quote', 'company')),
    old_id text not null,
    new_id text not null,
    primary key (kind, old_id)
);

-- The demo's business clock runs this far ahead of the wall's.
create table service_clock (
    only_row boolean primary key default true check (only_row),
    ahead interval not null
);
insert into service_clock (ahead) values (interval '0');

-- Applicants and what they submitted.

create table companies (
    company_id integer primary key check (company_id between 100000000 and 999999999),
    partner_id integer not null references partners,
    created_at timestamptz not null
);

create table submissions (
    submission_id uuid primary key,
    company_id integer not null references companies,
    partner_id integer not null,
    broker_id integer not null,
    product text not null check (product in ('CYB', 'TEO', 'MPL')),
    created_at timestamptz not null,
    name text not null,
    revenue bigint not null,
    state text not null,
    effective date not null,
    expiration date not null,
    question_edition text not null,
    rated_fingerprint bytea not null,
    -- Snapshots that are read whole and never searched are JSON text: half the cost of jsonb to write.
    body text not null,
    facts text not null,
    scan text,
    -- How often the work on it was started: a submission that kills its worker is not tried for ever.
    starts integer not null default 0
);
create index submissions_of_company on submissions (company_id, product, created_at);

-- What a broker-of-record check compares: registrable domains and normalised addresses.
create table clearance_keys (
    kind text not null check (kind in ('domain', 'address')),
    value text not null,
    company_id integer not null,
    partner_id integer not null,
    broker_id integer not null,
    submitted_at timestamptz not null
);
create index clearance_by_value on clearance_keys (value, kind, submitted_at);

-- Quotes and their journal.

create table quotes (
    quote_id uuid primary key,
    submission_id uuid not null references submissions,
    company_id integer not null,
    partner_id integer not null,
    option_number smallint not null,
    product text not null,
    status text not null check (status in (
        'created', 'aq_created', 'calculating', 'calc_completed', 'broker_conflict_referral', 'collection_issue',
        'red_flags_found', 'calc_failed', 'authority_failed', 'eligible', 'quick_scan_error', 'missing_quick_scan',
        'aq_not_approved', 'offer_email', 'stale', 'quote_referred', 'published', 'quote_declined', 'quote_expired',
        'quote_revoked', 'quote_bind_requested', 'quote_not_bound', 'policy_active', 'policy_canceled',
        'policy_expired')),
    version integer not null default 0,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    requested_aggregate_limit integer not null,
    requested_aggregate_retention integer,
    requested_per_claim_limit integer,
    requested_per_claim_retention integer,
    aggregate_limit integer,
    aggregate_retention integer,
    per_claim_limit integer,
    per_claim_retention integer,
    premium bigint,
    expires_on date,
    referred_at timestamptz,
    error_occurred boolean not null default false,
    red_flags_exist boolean not null default false,
    assessment text,
    -- Counters of the journal live with the row that is locked while it is written, so they have no gaps.
    journal_entries integer not null default 1,
    journal_hash bytea not null,
    quote_events integer not null default 0,
    policy_events integer not null default 0
);
create unique index options_of_submission on quotes (submission_id, option_number);
create index quotes_of_company on quotes (company_id, product);
-- The sweeps cost by what is due, not by what exists.
create index quotes_in_pipeline on quotes (updated_at)
    where status in ('created', 'aq_created', 'calculating', 'calc_completed', 'eligible');
create index quotes_open on quotes (expires_on) where status in ('published', 'offer_email');
create index quotes_referred on quotes (referred_at) where status = 'quote_referred';

create table contingencies (
    contingency_id bigint generated always as identity (start with 100001) primary key,
    quote_id uuid not null references quotes,
    kind text not null,
    type text not null check (type in ('pre_bind', 'post_bind')),
    text text not null,
    status text not null check (status in ('open', 'closed')),
    created_at timestamptz not null,
    closed_at timestamptz
);
create index contingencies_of_quote on contingencies (quote_id);

-- Scans are kept for a day: other quotes of the same domain need no new one.
create table scan_cache (
    domain text primary key,
    scanned_at timestamptz not null,
    result text not null
);

create table journal (
    quote_id uuid not null references quotes,
    entry integer not null,
    event_id uuid not null,
    at timestamptz not null,
    actor text not null,
    trigger text not null,
    status_before text,
    status_after text not null,
    level text check (level in ('quote', 'policy')),
    sequence integer,
    type text,
    data text not null default '{}',
    previous_hash bytea,
    hash bytea not null,
    primary key (quote_id, entry),
    check ((level is null) = (type is null) and (level is null) = (sequence is null))
);

create function refuse_change() returns trigger language plpgsql as $$
begin
    raise exception 'the journal is append-only';
end $$;
create trigger journal_is_append_only before update or delete or truncate on journal
    execute function refuse_change();

-- First answers, kept for replay.
create table idempotency_keys (
    partner_id integer not null,
    key text not null,
    request_hash bytea not null,
    response bytea not null,
    created_at timestamptz not null,
    primary key (partner_id, key)
);
