-- Indexes of the desk are exchanged in the step's transaction, all of it or nothing: each page of the desk finds either
-- all of the old or all of the new ones, and writers wait for one pass over the desk's items.
-- squawk-ignore-file require-concurrent-index-creation, require-concurrent-index-deletion

-- Questions of underwriters to brokers about a case, and what was answered. A case that was decided meanwhile
-- needs no answer any more (`overtaken_at`), and keeps one that comes.
create table broker_questions (
    question_id uuid primary key,
    submission_id uuid not null references submissions,
    -- The option that was looked at: partners are told of it.
    quote_id uuid not null references quotes,
    partner_id integer not null references partners,
    text text not null,
    -- The codes of the reasons that it is about.
    about text[] not null,
    asked_at timestamptz not null,
    asked_by text not null,
    answer text not null default '',
    document_id uuid references uploads,
    answered_at timestamptz,
    answered_by text,
    withdrawn_at timestamptz,
    overtaken_at timestamptz,
    check ((answered_at is null) = (answered_by is null)),
    check (answered_at is null or withdrawn_at is null)
);
create index questions_of_submission on broker_questions (submission_id, asked_at);
create index questions_of_partner on broker_questions (partner_id, asked_at, question_id)
    where answered_at is null and withdrawn_at is null and overtaken_at is null;

-- A question is shown with every option of its submission.
create function raise_version_of_options() returns trigger language plpgsql as $$
begin
    update quotes set shown_version = shown_version + 1 where submission_id = new.submission_id;
    return null;
end $$;
create trigger question_is_shown after insert or update on broker_questions
    for each row execute function raise_version_of_options();

-- Since when the clock of a case stands still, because its broker was asked; null while it runs. On the row of the
-- queue, so that one index finds what is due and passes over whatever waits for a broker.
alter table desk_items add column asked_at timestamptz;

create index desk_waiting_for_broker on desk_items (asked_at, item_id)
    where closed_at is null and asked_at is not null;
drop index desk_by_due;
drop index desk_by_stake;
drop index desk_by_product;
drop index desk_by_kind;
drop index desk_by_taker;
drop index desk_by_reason;
create index desk_by_due on desk_items (due_at, item_id) where closed_at is null and asked_at is null;
create index desk_by_stake on desk_items (at_stake desc, item_id) where closed_at is null and asked_at is null;
create index desk_by_product on desk_items (product, due_at, item_id)
    where closed_at is null and asked_at is null;
create index desk_by_kind on desk_items (kind, due_at, item_id) where closed_at is null and asked_at is null;
create index desk_by_taker on desk_items (taken_by, due_at, item_id)
    where closed_at is null and asked_at is null;
create index desk_by_reason on desk_items using gin (reasons) where closed_at is null and asked_at is null;

-- What happened to a case at the desk and to nothing else, such as that a colleague took it over, is a line of its
-- history for underwriters, between the notes that they write.
alter table desk_notes add column is_step boolean not null default false;
