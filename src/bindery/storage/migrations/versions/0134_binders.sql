-- On whose behalf policies are written. An insurer goes by its NAIC number, or by that of an alien insurer.
create table carriers (
    carrier_id integer generated always as identity primary key,
    number text not null unique,
    name text not null,
    -- Its lines, as JSON.
    address text not null,
    domicile text not null,
    rating text not null
);

create table binders (
    binder_id integer generated always as identity primary key,
    agreement text not null unique,
    coverholder text not null,
    pin text not null,
    inception date not null,
    -- The first day without authority.
    expiry date not null,
    premium_limit bigint not null,
    -- The premium of all its transactions; the row is locked while a policy takes its share, so that two can never
    -- pass the limit together.
    premium_booked bigint not null default 0,
    notify_at smallint[] not null,
    claims_administrator text not null,
    bordereau_due_day smallint not null check (bordereau_due_day between 1 and 28),
    file_sha256 text not null,
    imported_at timestamptz not null,
    check (inception < expiry),
    constraint within_premium_limit check (premium_booked between 0 and premium_limit)
);

create table binder_carriers (
    binder_id integer not null references binders,
    carrier_id integer not null references carriers,
    place smallint not null,
    share numeric(7, 4) not null check (share > 0 and share <= 100),
    primary key (binder_id, carrier_id)
);

create table binder_sections (
    section_id integer generated always as identity primary key,
    binder_id integer not null references binders,
    name text not null,
    product text not null,
    risk_code text not null,
    risk_class text not null,
    max_limit bigint not null,
    max_revenue bigint,
    states text[] not null,
    sectors_excluded text[] not null,
    term_months smallint not null,
    days_ahead smallint not null,
    commission numeric(5, 2) not null,
    deviation smallint not null,
    unique (binder_id, name)
);

-- What was booked before there was any binder has no section, and no commission is known of it.
alter table premium_transactions
    -- A column that is new and empty refers to nothing: one pass over the transactions, once nobody older binds.
    -- squawk-ignore adding-foreign-key-constraint
    add column section_id integer references binder_sections,
    add column commission_rate numeric(5, 2),
    add column commission numeric(14, 2),
    -- As above.
    -- squawk-ignore constraint-missing-not-valid
    add constraint commission_of_a_section check (
        (section_id is null) = (commission is null) and (section_id is null) = (commission_rate is null));
-- As above, and the index is empty.
-- squawk-ignore require-concurrent-index-creation
create index premium_transactions_of_section on premium_transactions (section_id, booked_on)
    where section_id is not null;
