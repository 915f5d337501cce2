-- What was reported of a binder and a month: frozen, so that it is the same whenever it is asked for again.
create table bordereaux (
    bordereau_id integer generated always as identity primary key,
    binder_id integer not null references binders,
    month date not null check (extract(day from month) = 1),
    kind text not null check (kind in ('premium', 'risk', 'claims')),
    template text not null,
    -- The template's file and what all lines have in common, as they were then.
    template_text text not null,
    frame text not null,
    lines integer not null check (lines >= 0),
    premium bigint not null,
    charges numeric(14, 2) not null,
    commission numeric(14, 2) not null,
    exceptions integer not null check (exceptions >= 0),
    -- Why it was made in spite of them.
    because text not null,
    made_at timestamptz not null,
    made_on date not null,
    made_by text not null,
    sent_at timestamptz,
    sent_on date,
    sent_by text,
    unique (binder_id, month, kind, template),
    check (exceptions = 0 or because <> ''),
    check ((sent_at is null) = (sent_by is null) and (sent_at is null) = (sent_on is null))
);

-- Its files, named by the hash of their content.
create table bordereau_files (
    bordereau_id integer not null references bordereaux,
    format text not null check (format in ('csv', 'xlsx', 'parquet', 'totals', 'exceptions')),
    sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
    size integer not null check (size > 0),
    primary key (bordereau_id, format)
);

-- Each transaction is in one bordereau of a kind and template, and stays in it.
create table bordereau_lines (
    bordereau_id integer not null references bordereaux,
    transaction_id bigint not null references premium_transactions,
    kind text not null,
    template text not null,
    primary key (transaction_id, kind, template)
);
create index lines_of_bordereau on bordereau_lines (bordereau_id);

create function keep_bordereaux() returns trigger language plpgsql as $$
begin
    raise exception 'what was reported to carriers stays as it is';
end $$;
create trigger bordereaux_are_frozen
    before delete or truncate or update of binder_id, month, kind, template, template_text, frame, lines, premium,
        charges, commission, exceptions, because, made_at, made_on, made_by on bordereaux
    for each statement execute function keep_bordereaux();
create trigger bordereau_files_are_frozen before update or delete or truncate on bordereau_files
    for each statement execute function keep_bordereaux();
create trigger bordereau_lines_are_frozen before update or delete or truncate on bordereau_lines
    for each statement execute function keep_bordereaux();
