-- What happened on each finished day, by product and partner: a dashboard reads a few hundred rows, however many
-- quotes there ever were. A row with the partner 0 is the sum over all of them.
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

-- The days whose figures are written, quiet ones among them.
create table figured_days (
    day date primary key,
    figured_at timestamptz not null
);

-- A day of these is found without looking at the others; deliveries, of which there are most, end in the order of
-- their time.
create index desk_by_opening on desk_items (opened_at);
create index finished_by_time on finished_deliveries using brin (finished_at);

-- The workers that live. Real time of the database, so that no two machines' clocks are compared.
create table workers (
    worker_id uuid primary key,
    seen_at timestamptz not null
);
