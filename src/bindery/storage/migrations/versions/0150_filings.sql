-- That a filing of a state and period was made, and for which amount: null where nothing is paid with it.
create table filings (
    state text not null,
    code text not null,
    period text not null,
    filed_on date not null,
    reference text not null,
    amount numeric(14, 2),
    marked_by text not null,
    marked_at timestamptz not null,
    primary key (state, code, period)
);

-- The secret address at which a calendar reads the due dates for a user; only its hash is kept.
create table calendar_feeds (
    user_id integer primary key references users,
    token_sha256 bytea not null unique,
    made_at timestamptz not null
);
