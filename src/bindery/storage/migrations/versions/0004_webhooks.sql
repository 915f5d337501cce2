-- What partners are told: the entries of the journal that are events.
--
-- An event is written, in the transaction of what it tells of, without a place. Its place in the partner's feed is
-- given after the commit, by one transaction at a time for a partner: a number taken while writing would let a
-- reader pass over an event that commits late. It then moves to the feed, where no row ever changes.

create table unplaced_events (
    -- The order of writing. Within a quote it is the order of the journal, because the quote is locked meanwhile.
    written bigint generated always as identity primary key,
    event_id uuid not null,
    partner_id integer not null,
    quote_id uuid not null,
    entry integer not null,
    level text not null,
    type text not null,
    at timestamptz not null
);
create index unplaced_of_partner on unplaced_events (partner_id, written);

create table events (
    partner_id integer not null,
    position bigint not null,
    event_id uuid not null unique,
    quote_id uuid not null,
    entry integer not null,
    level text not null check (level in ('quote', 'policy')),
    type text not null,
    at timestamptz not null,
    primary key (partner_id, position)
);
create index events_by_type on events (partner_id, type, position);
create index events_of_quote on events (quote_id, position);
create index events_by_time on events using brin (at);

create table feeds (
    partner_id integer primary key references partners,
    last_position bigint not null default 0
);

insert into unplaced_events (event_id, partner_id, quote_id, entry, level, type, at)
select j.event_id, q.partner_id, j.quote_id, j.entry, j.level, j.type, j.at
from journal j join quotes q using (quote_id)
where j.type is not null
order by j.at, j.quote_id, j.entry;

-- Whom to write to when something of the partner's stops working; its first broker when nobody is named.
alter table partners add column contact_email text;

-- The secrets that deliveries are signed with, sealed with a key from the settings.
create table webhook_secrets (
    secret_id bigint generated always as identity primary key,
    partner_id integer not null references partners,
    sealed bytea not null,
    created_at timestamptz not null,
    -- A replaced secret signs along until then.
    retires_at timestamptz
);
create unique index one_current_secret on webhook_secrets (partner_id) where retires_at is null;
create index secrets_of_partner on webhook_secrets (partner_id);

create table webhooks (
    webhook_id uuid primary key,
    partner_id integer not null references partners,
    endpoint text not null,
    quote_level boolean not null,
    policy_level boolean not null,
    status text not null check (status in ('active', 'disabled', 'removed')),
    created_at timestamptz not null,
    failing_since timestamptz,
    disabled_at timestamptz,
    disabled_because text check (disabled_because in ('gone', 'failing')),
    -- Demo only: how many of the next tries are made to fail.
    fail_next integer not null default 0 check (fail_next >= 0),
    check ((status = 'disabled') = (disabled_because is not null))
);
-- Registering an endpoint again changes the webhook that is there.
create unique index one_webhook_for_an_endpoint on webhooks (partner_id, endpoint) where status <> 'removed';

-- Deliveries on their way: a small table whose rows leave it when they end, so that looking for what is due costs
-- the same however much was ever delivered. No foreign keys: they would make every event share-lock the rows of the
-- partner's webhooks.
create table deliveries (
    -- Ascending within a quote and webhook, since the quote is locked while they are written.
    delivery_id bigint generated always as identity primary key,
    webhook_id uuid not null,
    event_id uuid not null,
    -- The journal entry that is told of; neither for a ping.
    quote_id uuid,
    entry integer,
    tries smallint not null default 0,
    created_at timestamptz not null,
    due_at timestamptz not null,
    claimed_by uuid
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create index deliveries_due on deliveries (webhook_id, due_at, delivery_id) where claimed_by is null;
create index deliveries_in_order on deliveries (webhook_id, quote_id, delivery_id);
create index deliveries_claimed on deliveries (claimed_by) where claimed_by is not null;

create table finished_deliveries (
    delivery_id bigint primary key,
    webhook_id uuid not null,
    event_id uuid not null,
    quote_id uuid,
    entry integer,
    state text not null check (state in ('delivered', 'failed')),
    created_at timestamptz not null,
    finished_at timestamptz not null
);
create index finished_of_webhook on finished_deliveries (webhook_id, delivery_id);

create table delivery_attempts (
    delivery_id bigint not null,
    number smallint not null,
    at timestamptz not null,
    status smallint,
    error text,
    duration_ms integer not null,
    answer text not null,
    primary key (delivery_id, number)
);

-- Who delivers. A courier that has not been seen for a few seconds is dead and its claims go back. Wall-clock
-- time of the database, so that no two machines' clocks are compared.
create table couriers (
    courier_id uuid primary key,
    seen_at timestamptz not null
);
