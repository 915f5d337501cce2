-- What a job was about and how long its parts took, on the row that is written when it ends: the queue's own
-- table forgets it then. Its log is kept for two weeks.
alter table pgq.pgqueuer_log
    add column about text,
    add column attempt smallint,
    add column milliseconds real,
    -- The parts and their milliseconds, as JSON.
    add column work text;
-- Of a column that is new and empty, so that the index is: writers wait for one pass over two weeks of log.
-- squawk-ignore require-concurrent-index-creation
create index job_log_about on pgq.pgqueuer_log (about) where about is not null;

-- Paused by an operator: what is due is kept and goes out in order once it is resumed.
alter table webhooks
    add column paused_at timestamptz,
    add column paused_by text,
    -- A broader one by the same name takes its place in this statement.
    -- squawk-ignore ban-drop-constraint
    drop constraint webhooks_disabled_because_check,
    -- Every row passes, since it passed the narrower one; webhooks are few.
    -- squawk-ignore constraint-missing-not-valid
    add constraint webhooks_disabled_because_check check (disabled_because in ('gone', 'failing', 'operator'));

-- An invitation is a link to set the first password, which lasts longer.
alter table password_links
    add column is_invitation boolean not null default false,
    add column created_at timestamptz not null default now();

-- When the last token of a partner expires is read every few seconds.
-- Tokens are few.
-- squawk-ignore require-concurrent-index-creation
create index tokens_in_force on tokens (partner_id, expires_at) where revoked_at is null;

-- What a worker finds when it checks itself, as JSON: other settings than those of the pages' processes.
alter table workers add column report text;
