-- Quotes that brokers enter by hand, until they are sent or 30 days after the last change.
create table drafts (
    draft_id uuid primary key,
    partner_id integer not null references partners,
    created_by integer not null references users,
    changed_by integer not null references users,
    version integer not null default 1,
    -- What was typed, by the API's name of the field: a list of texts each.
    fields jsonb not null,
    -- Who typed what is in a field, and what another typed there at the same time.
    typists jsonb not null default '{}',
    others jsonb not null default '{}',
    question_edition text not null,
    created_at timestamptz not null,
    changed_at timestamptz not null,
    sent_as uuid references submissions
);
create index drafts_of_partner on drafts (partner_id, changed_at desc) where sent_as is null;
create index drafts_by_change on drafts (changed_at);
