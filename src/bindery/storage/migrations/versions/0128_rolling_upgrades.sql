-- The migrations that made these tables, written by `bindery migrate`. A process leaves the tables alone when one that
-- contracted is not among those it knows.
create table migrations_done (
    revision text primary key,
    step text not null check (step in ('expand', 'contract')),
    done_at timestamptz not null default now()
);

-- Processes that are alive, with what they know of the tables. Real time of the database, as in `workers`.
create table processes (
    process_id uuid primary key,
    kind text not null check (kind in ('serve', 'work')),
    host text not null,
    version text not null,
    revision text not null,
    seen_at timestamptz not null
);
