-- A mail from before has no HTML and is sent as text; one that was sent went to all of its recipients.
alter table mails
    add column html text,
    -- The recipients that the mail server has taken it for, and when it first did.
    add column taken text[] not null default '{}',
    add column taken_at timestamptz,
    add column message_id text,
    add column server_answer text,
    -- What was attached: documents, versions and hashes, as JSON.
    add column sent_documents text,
    add column last_error text,
    -- When a person asked to send it again: it is tried for three days from then on.
    add column retried_at timestamptz;

-- How a broker wants a kind of mail: in the digest or not at all. Without a row it comes at once.
create table mail_choices (
    user_id integer not null references users,
    switch text not null,
    choice text not null check (choice in ('digest', 'off')),
    primary key (user_id, switch)
);

-- What waits for a broker's digest, and when one took it.
create table digest_entries (
    entry_id bigint generated always as identity primary key,
    user_id integer not null references users,
    quote_id uuid,
    kind text not null,
    at timestamptz not null,
    sentence text not null,
    link text not null,
    taken_at timestamptz
);
create unique index one_digest_entry_of_a_kind on digest_entries (user_id, quote_id, kind);
create index digest_entries_waiting on digest_entries (user_id, at) where taken_at is null;

alter table binds add column lapse_reminders smallint not null default 0;
alter table quotes add column reminders_sent smallint not null default 0;
-- In the step's transaction, all of it or nothing: writers wait for one pass over the table.
-- squawk-ignore require-concurrent-index-creation
create index quotes_to_remind_of on quotes (reminders_sent, expires_on)
    where status = 'published' and reminders_sent < 2;

-- Whether a worker has a mail server, which the pages' own process cannot know.
alter table workers add column sends_mail boolean not null default false;
