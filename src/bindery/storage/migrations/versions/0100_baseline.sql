-- All tables of the service, grouped by subject. Runs on PostgreSQL 14 and newer.
--
-- Texts that are read whole and never searched (`body`, `facts`, `assessment`, `scan`, `receipt`, …) are JSON as
-- text, which costs half of jsonb to write. Amounts are whole dollars. Times are those of the business clock
-- unless a comment says that they are real ones.


-- Access: partners, their brokers and tokens

create table partners (
    partner_id integer generated always as identity primary key,
    partner_key text not null unique check (length(partner_key) = 8),
    name text not null unique,
    created_at timestamptz not null,
    -- Gets a mail when something of the partner's stops working; without one, the partner's first broker does.
    contact_email text
);

create table brokers (
    broker_id integer generated always as identity primary key,
    partner_id integer not null references partners,
    email text not null check (email = lower(email)),
    created_at timestamptz not null,
    -- The brokerage, as documents name it; null if unknown.
    firm text check (length(firm) between 1 and 200),
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

-- When a token was last used, to the hour. Not a column of `tokens`, since every change of that table empties the
-- caches of all processes.
create table token_uses (
    token_id text primary key references tokens,
    used_at timestamptz not null
);

-- Processes cache brokers and revoked tokens, and drop the cache on this notification.
create function tell_access_changed() returns trigger language plpgsql as $$
begin
    perform pg_notify('bindery_access', '');
    return null;
end $$;

create trigger brokers_changed after insert or update or delete or truncate on brokers
    execute function tell_access_changed();
create trigger tokens_changed after update or delete or truncate on tokens
    execute function tell_access_changed();

-- Identifiers of version 0.1, filled in by an operator. Two partners may have used the same one.
create table legacy_ids (
    kind text not null check (kind in ('quote', 'company')),
    old_id text not null,
    new_id text not null,
    partner_id integer not null references partners,
    primary key (partner_id, kind, old_id)
);

-- Requests of each partner in a minute, as counted by each process; a crash may lose them.
create unlogged table request_counts (
    minute bigint not null,
    process_id uuid not null,
    partner_id integer not null,
    quota text not null,
    requests integer not null,
    primary key (minute, process_id, partner_id, quota)
);

-- The first answer to each idempotency key, to be replayed.
create table idempotency_keys (
    partner_id integer not null,
    key text not null,
    request_hash bytea not null,
    response bytea not null,
    created_at timestamptz not null,
    primary key (partner_id, key)
);
create index answers_by_age on idempotency_keys (created_at);


-- Submissions: applicants and what was submitted for them

create table companies (
    company_id integer primary key check (company_id between 100000000 and 999999999),
    partner_id integer not null references partners,
    created_at timestamptz not null
);
create index companies_of_partner on companies (partner_id, created_at desc, company_id desc);
create index companies_by_time on companies (created_at desc, company_id desc);

create table submissions (
    submission_id uuid primary key,
    company_id integer not null references companies,
    partner_id integer not null,
    broker_id integer not null,
    -- The contract alone lists the products, so that a new one needs no migration.
    product text not null check (product ~ '^[A-Z]{3}$'),
    created_at timestamptz not null,
    name text not null,
    revenue bigint not null,
    state text not null,
    effective date not null,
    expiration date not null,
    question_edition text not null,
    rated_fingerprint bytea not null,
    body text not null,
    facts text not null,
    scan text,
    -- How often work on it was started: a submission that kills its worker is not tried forever.
    starts integer not null default 0,
    -- The quote whose policy it renews.
    renews uuid,
    -- The NAICS sector of the applicant, empty if no industry was given. Sectors that span several numbers go by
    -- the first of them.
    sector text not null default '',
    -- `client.secondary_broker_email`; null in nearly all requests.
    secondary_broker_email text check (secondary_broker_email = lower(secondary_broker_email))
);
create index submissions_of_company on submissions (company_id, product, created_at);
create index renewals_of_policy on submissions (renews) where renews is not null;
-- Similar cases: a product and sector by revenue, read outward from one revenue.
create index submissions_alike on submissions (product, sector, revenue);
-- Lists, newest first: a page costs the same however many rows a partner has. A broker's companies are read from
-- the last two alone, however few of a large book they are.
create index submissions_of_partner on submissions (partner_id, product, created_at, submission_id);
create index submissions_of_broker on submissions (broker_id, created_at, submission_id) include (company_id);
create index submissions_of_secondary_broker on submissions (partner_id, secondary_broker_email, created_at)
    include (company_id) where secondary_broker_email is not null;

-- The words of a name as people search for them: runs of letters and digits. Left to itself the parser takes
-- `<script>` for a tag, `Smith/Jones` for a file and `-66` for a number, and finds none of their words. Only the
-- characters that it reads something into are replaced: each of them costs an intake half a microsecond.
create function words_of(name text) returns tsvector language sql immutable parallel safe as $$
    select to_tsvector('simple', translate(name, '<>/.@&+-', '        '))
$$;
create index submissions_by_words on submissions using gin (words_of(name));

-- The searchable part of `client.metadata`. Hardly any submission has it, so the body itself is not indexed.
create table submission_metadata (
    partner_id integer not null,
    key text not null check (length(key) <= 255),
    value text not null check (length(value) <= 255),
    created_at timestamptz not null,
    submission_id uuid not null references submissions,
    primary key (partner_id, key, value, created_at, submission_id)
);
create index metadata_of_submission on submission_metadata (submission_id);

-- Compared by the broker-of-record check: registrable domains and normalized addresses.
create table clearance_keys (
    kind text not null check (kind in ('domain', 'address')),
    value text not null,
    company_id integer not null,
    partner_id integer not null,
    broker_id integer not null,
    submitted_at timestamptz not null
);
create index clearance_by_value on clearance_keys (value, kind, submitted_at);

-- Scans are kept for a day: other quotes of the same domain need no new one.
create table scan_cache (
    domain text primary key,
    scanned_at timestamptz not null,
    result text not null
);
create index scans_by_age on scan_cache (scanned_at);


-- Quotes and their journal

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
    -- The counters of the journal are in the row that is locked while it is written, so they have no gaps.
    journal_entries integer not null default 1,
    journal_hash bytea not null,
    quote_events integer not null default 0,
    policy_events integer not null default 0,
    -- The option whose bind, or request for one, passed this one over.
    passed_over_for uuid,
    -- The version of everything that a partner sees of the quote. Whatever writes a row that is shown raises it
    -- in the same transaction, by the triggers below: an answer cached for a version holds while the version does.
    shown_version bigint not null default 0
);
create unique index options_of_submission on quotes (submission_id, option_number);
create index quotes_of_company on quotes (company_id, product);
create index quotes_passed_over on quotes (passed_over_for) where passed_over_for is not null;
-- Read backward by the lists: the newest submission first, and its options in order.
create index quotes_by_status on quotes
    (partner_id, product, status, created_at, submission_id, option_number desc);
-- Sweeps cost by the rows that are due, not by the rows that exist.
create index quotes_in_pipeline on quotes (updated_at)
    where status in ('created', 'aq_created', 'calculating', 'calc_completed', 'eligible');
create index quotes_open on quotes (expires_on) where status in ('published', 'offer_email');
create index quotes_referred on quotes (referred_at) where status = 'quote_referred';
-- Binds that wait for the demo's simulated underwriter.
create index binds_requested on quotes (updated_at) where status = 'quote_bind_requested';

create function raise_own_version() returns trigger language plpgsql as $$
begin
    new.shown_version := old.shown_version + 1;
    return new;
end $$;
create trigger quote_is_shown before update on quotes
    for each row execute function raise_own_version();

-- Those who wait for a quote are notified when it is ready. One notification a submission and transaction:
-- PostgreSQL drops equal ones, and takes the lock that all notifications share only in the transactions that have
-- one. The condition is NOT_READY of the program; the steps in between notify nobody.
create function tell_ready() returns trigger language plpgsql as $$
begin
    perform pg_notify('bindery_ready', new.submission_id::text);
    return null;
end
$$;

create trigger tell_ready after update of status on quotes
for each row when (
    old.status in (
        'created', 'aq_created', 'calculating', 'calc_completed', 'broker_conflict_referral',
        'collection_issue', 'red_flags_found', 'calc_failed', 'authority_failed', 'eligible',
        'quick_scan_error', 'missing_quick_scan', 'aq_not_approved'
    )
    and new.status not in (
        'created', 'aq_created', 'calculating', 'calc_completed', 'broker_conflict_referral',
        'collection_issue', 'red_flags_found', 'calc_failed', 'authority_failed', 'eligible',
        'quick_scan_error', 'missing_quick_scan', 'aq_not_approved'
    )
)
execute function tell_ready();

-- Open pages are notified of every later step.
create function tell_moved() returns trigger language plpgsql as $$
begin
    perform pg_notify('bindery_moved', new.submission_id::text);
    return null;
end
$$;

create trigger tell_moved after update of status on quotes
for each row when (
    old.status <> new.status
    and old.status not in (
        'created', 'aq_created', 'calculating', 'calc_completed', 'broker_conflict_referral',
        'collection_issue', 'red_flags_found', 'calc_failed', 'authority_failed', 'eligible',
        'quick_scan_error', 'missing_quick_scan', 'aq_not_approved'
    )
)
execute function tell_moved();

-- Each change of a contingency is a step of its quote, so it needs no trigger for `shown_version`.
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

-- Every step of every quote, each with the hash of the one before it. Steps that partners hear of are events: they
-- have a level, a type, and a sequence without gaps.
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


-- Binds and policies

create sequence policy_numbers as integer;

-- One row for each quote whose bind was requested.
create table binds (
    quote_id uuid primary key references quotes,
    company_id integer not null,
    partner_id integer not null,
    product text not null,
    asked_at timestamptz not null,
    ask_fingerprint bytea not null,
    attested boolean not null,
    contacts text,
    effective date not null,
    expiration date not null,
    policy_number text unique,
    bound_on date,
    fulfil_by date,
    issued_on date,
    in_force boolean not null default false,
    renewal_type text not null default 'auto' check (renewal_type in ('auto', 'manual')),
    -- The end of a policy before its term was over.
    ended_on date,
    ended_because text,
    returned_premium bigint,
    -- The renewal: its submission once it was made, its quote once that was offered. It is settled when it was
    -- bound or left on the day, or when none is made because the company has other cover by then.
    renewal_submission_id uuid,
    renewal_quote_id uuid,
    renewal_settled boolean not null default false,
    reminders_sent smallint not null default 0,
    -- A company's terms of one line never overlap. To do without the extension for mixed exclusion constraints,
    -- company, line and day are one number: company and line in the high bits, the day in the low ones. A lapsed
    -- binder occupies nothing, a canceled policy the days until its end.
    occupies int8range,
    -- Since when the documents, mails and events of the bind or the issuance are owed; null when all were sent.
    unfinished_since timestamptz,
    -- The answer to the bind request: the same request sent again gets it again.
    receipt text,
    -- The retroactive date: a day, or full_prior_acts. Each product knows which of them it takes.
    retroactive text,
    -- A partner's request to cancel: shown with the policy, and a case on the desk until an underwriter decides.
    cancellation_request text,
    cancellation_answer text,
    cancellation_open boolean not null default false,
    constraint one_policy_at_a_time exclude using gist (occupies with &&)
);
create index binds_of_company on binds (company_id);
create index policies_of_partner on binds (partner_id, asked_at, quote_id) where policy_number is not null;
create index binds_unfinished on binds (unfinished_since) where unfinished_since is not null;
create index binders_to_fulfil on binds (fulfil_by) where in_force and issued_on is null;
create index policies_to_end on binds (expiration) where in_force and issued_on is not null;
create index policies_to_renew on binds (expiration)
    where in_force and issued_on is not null and renewal_type = 'auto' and renewal_submission_id is null
      and not renewal_settled;
create index renewals_to_settle on binds (expiration)
    where renewal_quote_id is not null and not renewal_settled;

create function raise_version_of_quote() returns trigger language plpgsql as $$
begin
    update quotes set shown_version = shown_version + 1 where quote_id = new.quote_id;
    return null;
end $$;
create trigger bind_is_shown after insert or update on binds
    for each row execute function raise_version_of_quote();

-- A renewal shows whether the policy that it renews does so automatically.
create function raise_version_of_renewals() returns trigger language plpgsql as $$
begin
    update quotes set shown_version = shown_version + 1
    where submission_id in (select submission_id from submissions where renews = new.quote_id);
    return null;
end $$;
create trigger renewal_type_is_shown after update on binds
    for each row when (old.renewal_type is distinct from new.renewal_type)
    execute function raise_version_of_renewals();


-- Documents, uploads and mail

-- The facts that the documents of a quote show are written with the offer, the bind or the issuance. Documents are
-- made from them when somebody asks, or when a worker is idle, and are the same either way.

-- The facts that all options of a submission share.
create table applicant_facts (
    submission_id uuid primary key references submissions,
    facts text not null
);

-- The forms of a packet are frozen when it is made: a later edition does not change a packet that was sent.
create table packets (
    quote_id uuid not null references quotes,
    packet text not null check (packet in ('quote', 'binder', 'policy')),
    forms text not null,
    made_at timestamptz not null,
    -- Null for the oldest packets, whose documents were made at once.
    facts text,
    documents_made boolean not null default false,
    -- The lease of the worker that makes the documents; real time.
    claimed_until timestamptz,
    primary key (quote_id, packet)
);
create index packets_to_make on packets (made_at) where not documents_made;

-- Facts of the notices of cancellation, lapse and reinstatement. A second one of a type has the next version.
create table notices (
    quote_id uuid not null references quotes,
    type text not null,
    version smallint not null check (version > 0),
    facts text not null,
    event text not null,
    written_at timestamptz not null,
    primary key (quote_id, type, version)
);

-- Generated documents; the files are named by their hash. A row never changes: a change has the next version.
create table documents (
    quote_id uuid not null references quotes,
    -- The contract alone lists the types, so that a new one needs no migration.
    type text not null check (type ~ '^[a-z_]{1,40}$'),
    version smallint not null default 1 check (version > 0),
    sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
    size integer not null check (size > 0),
    -- Printed on an application, to recognize a signed copy; other documents have none.
    fingerprint text,
    made_at timestamptz not null,
    primary key (quote_id, type, version)
);

create table uploads (
    document_id uuid primary key,
    quote_id uuid not null references quotes,
    contingency_id bigint references contingencies,
    name text not null,
    content_type text not null,
    size integer not null check (size > 0),
    sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
    uploaded_at timestamptz not null,
    uploaded_by text not null,
    -- The reader's result: compared with the issued application where it is for the signature contingency.
    finding text not null
);
create index uploads_of_quote on uploads (quote_id);
create trigger upload_is_shown after insert or update on uploads
    for each row execute function raise_version_of_quote();

-- Mail is written in the transaction that it is about, sent by a job, and kept as a record.
create table mails (
    mail_id uuid primary key,
    quote_id uuid,
    kind text not null,
    recipients text[] not null,
    subject text not null,
    body text not null,
    attachments text[] not null default '{}',
    created_at timestamptz not null,
    sent_at timestamptz
);
create unique index one_mail_of_a_kind on mails (quote_id, kind);
create index mails_by_time on mails (created_at);
create index mails_unsent on mails (created_at) where sent_at is null;


-- Events and webhooks

-- An event is written, in the transaction that it is about, without a position. It gets its position in the
-- partner's feed after the commit, from one transaction at a time for a partner: a number taken while writing would
-- let a reader pass over an event that commits late. It then moves to `events`, where no row ever changes.
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
-- A replay since a time reads a partner's events in the order of their times, however long ago that is.
create index events_of_partner_by_time on events (partner_id, at, position);
-- A partner that reads policy events only does not pass by those of all its quotes.
create index events_of_policies on events (partner_id, position) where level = 'policy';

create table feeds (
    partner_id integer primary key references partners,
    last_position bigint not null default 0
);

-- The secrets that deliveries are signed with, sealed with a key from the settings.
create table webhook_secrets (
    secret_id bigint generated always as identity primary key,
    partner_id integer not null references partners,
    sealed bytea not null,
    created_at timestamptz not null,
    -- A replaced secret signs too until then.
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
-- Registering an endpoint again changes its webhook.
create unique index one_webhook_for_an_endpoint on webhooks (partner_id, endpoint) where status <> 'removed';
-- Disabled webhooks are counted every few seconds; the index holds only those.
create index webhooks_disabled on webhooks (webhook_id) where status = 'disabled';

-- Pending deliveries: a small table whose rows leave it when they end, so that finding the due ones costs the same
-- however many were ever delivered. No foreign keys: they would make every event share-lock the rows of the
-- partner's webhooks.
create table deliveries (
    -- Ascending within a quote and webhook, since the quote is locked while they are written.
    delivery_id bigint generated always as identity primary key,
    webhook_id uuid not null,
    event_id uuid not null,
    -- The journal entry that it is about; both are null for a ping.
    quote_id uuid,
    entry integer,
    tries smallint not null default 0,
    created_at timestamptz not null,
    due_at timestamptz not null,
    -- The lease of the worker that delivers it: after a worker's death it ends by itself. Real time of the
    -- database, so that the clocks of two machines are never compared. The value also identifies the claim: a
    -- lease that was taken over has another.
    claimed_until timestamptz
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create index deliveries_due on deliveries (webhook_id, due_at, delivery_id) where claimed_until is null;
create index deliveries_in_order on deliveries (webhook_id, quote_id, delivery_id);
create index deliveries_claimed on deliveries (claimed_until) where claimed_until is not null;

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
-- Deliveries end in the order of time, so a coarse index finds a day of them.
create index finished_by_time on finished_deliveries using brin (finished_at);

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


-- Users, and the underwriters' desk

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
    -- Whether single keys are shortcuts: the software of some people types them by accident.
    has_keys boolean not null default true,
    -- One user, one role; a broker belongs to a partner, and nobody else does.
    check ((role = 'broker') = (partner_id is not null))
);

-- Users who are signed in, by browser. Real time: the demo's moving clock signs nobody out.
create table sign_ins (
    token_sha256 bytea primary key,
    user_id integer not null references users,
    created_at timestamptz not null,
    seen_at timestamptz not null,
    expires_at timestamptz not null,
    address text not null,
    browser text not null,
    -- When the password was last given: the most dangerous steps ask for it again.
    confirmed_at timestamptz not null,
    -- The result of the last step, shown on the next page.
    banner text
);
create index sign_ins_of_user on sign_ins (user_id);
create index sign_ins_by_end on sign_ins (expires_at);

-- The open pages of a user who signs out are closed, in all processes.
create function tell_signed_out() returns trigger language plpgsql as $$
begin
    perform pg_notify('bindery_signed_out', old.user_id::text);
    return null;
end
$$;

create trigger tell_signed_out after delete on sign_ins
for each row execute function tell_signed_out();

create table sign_in_failures (
    key text not null,
    at timestamptz not null
);
create index sign_in_failures_by_key on sign_in_failures (key, at);
create index sign_in_failures_by_time on sign_in_failures (at);

-- Cases that wait for an underwriter: one row for a submission and kind, open until nothing of it waits any more.
-- Written in the transaction of each change, so that the desk never disagrees with the statuses.
create table desk_items (
    item_id bigint generated always as identity primary key,
    submission_id uuid not null references submissions,
    kind text not null check (kind in ('referral', 'bind', 'paper', 'cancellation')),
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
create index desk_by_opening on desk_items (opened_at);

create function tell_desk_changed() returns trigger language plpgsql as $$
begin
    perform pg_notify('bindery_desk', new.submission_id::text);
    return null;
end $$;
create trigger desk_changed after insert or update on desk_items
    for each row execute function tell_desk_changed();

-- Notes that underwriters write for each other.
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


-- Operation: the clock, workers, jobs and figures

-- The demo's business clock runs this far ahead of the real one.
create table service_clock (
    only_row boolean primary key default true check (only_row),
    ahead interval not null
);
insert into service_clock (ahead) values (interval '0');

-- Workers that are alive. Real time of the database, so that the clocks of two machines are never compared.
create table workers (
    worker_id uuid primary key,
    seen_at timestamptz not null
);

-- Two indexes of ours on PgQueuer's table: the last job of a lane, to give out the next turn, and the failed job
-- about something, to list it or to replace it.
-- The queue's table was made in this transaction, by 0100_queue.sql.
-- squawk-ignore require-concurrent-index-creation
create index jobs_of_lane on pgq.pgqueuer ((headers->>'lane'), priority) where status = 'queued';
-- As above.
-- squawk-ignore require-concurrent-index-creation
create index jobs_failed on pgq.pgqueuer (dedupe_key) where status = 'failed';

-- Open pages of operators are notified of failures; neither of these is on the way of a quote.
create function tell_operators() returns trigger language plpgsql as $$
begin
    perform pg_notify('bindery_ops', '');
    return null;
end
$$;

create trigger tell_job_failed after update of status on pgq.pgqueuer
for each row when (new.status = 'failed' and old.status <> 'failed')
execute function tell_operators();

create trigger tell_webhook_fails after update of failing_since on webhooks
for each row when (old.failing_since is null and new.failing_since is not null)
execute function tell_operators();

-- The figures of each finished day, by product and partner: a dashboard reads a few hundred rows, however many
-- quotes there ever were. Partner 0 is the sum of all partners.
create table daily_figures (
    day date not null,
    product text not null,
    partner_id integer not null,
    submitted integer not null,
    published integer not null,
    referred integer not null,
    bound integer not null,
    premium bigint not null,
    -- How many options were ready within which time: percentiles of days cannot be averaged, counts can be added.
    readiness integer[] not null,
    -- How many cases came to the desk for which reason.
    reasons jsonb not null,
    delivered integer not null,
    delivered_late integer not null,
    undelivered integer not null,
    primary key (day, product, partner_id)
);
create index daily_figures_of_all on daily_figures (day, product) where partner_id = 0;

-- The days whose figures are written, quiet ones too.
create table figured_days (
    day date primary key,
    figured_at timestamptz not null
);
