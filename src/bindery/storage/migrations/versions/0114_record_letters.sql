-- Letters by which an insured makes the sender of a draft its broker of record, though another organization was
-- submitted with the same domains or address. What is accepted blocks this partner no longer.
create table record_letters (
    letter_id uuid primary key,
    partner_id integer not null references partners,
    -- Drafts are removed, so that nothing refers to them.
    draft_id uuid not null,
    insured text not null,
    -- What the draft shares with another organization: kinds and values in the same order.
    key_kinds text[] not null,
    key_values text[] not null,
    name text not null,
    content_type text not null,
    size bigint not null,
    sha256 text not null,
    uploaded_at timestamptz not null,
    uploaded_by text not null,
    decision text check (decision in ('accepted', 'rejected', 'replaced')),
    reason text not null default '',
    decided_at timestamptz,
    decided_by text,
    check ((decision is null) = (decided_at is null))
);
-- One letter of a draft waits at a time.
create unique index record_letters_open on record_letters (draft_id) where decision is null;
create index record_letters_waiting on record_letters (uploaded_at) where decision is null;
create index record_letters_of_draft on record_letters (draft_id, uploaded_at);
create index record_letters_accepted on record_letters (partner_id, decided_at) where decision = 'accepted';
