-- Two ways into the queue's table beside PgQueuer's own: the last job of a lane, to give out the next turn, and
-- the failed job about something, to list it or put another in its place.
create index jobs_of_lane on pgq.pgqueuer ((headers->>'lane'), priority) where status = 'queued';
create index jobs_failed on pgq.pgqueuer (dedupe_key) where status = 'failed';

-- Since when the papers, mails and events of a bind or an issuance are owed; null when everybody has them.
alter table binds add column unfinished_since timestamptz;
create index binds_unfinished on binds (unfinished_since) where unfinished_since is not null;

-- What an earlier version left without them.
update binds b set unfinished_since = asked_at
where in_force and (
    not exists (select from documents d
                where d.quote_id = b.quote_id
                  and d.type = case when b.issued_on is null then 'binder' else 'policy' end)
    or not exists (select from mails m
                   where m.quote_id = b.quote_id
                     and m.kind = case when b.issued_on is null then 'policy_bound' else 'policy_issued' end)
);

-- Binds that wait for the demo's simulated underwriter.
create index binds_requested on quotes (updated_at) where status = 'quote_bind_requested';
