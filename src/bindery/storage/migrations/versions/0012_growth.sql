-- Replaying since a time goes through a partner's events in the order of their times, however long ago it is.
-- The index that was there finds where to begin, and then everything since had to be read and sorted.
create index events_of_partner_by_time on events (partner_id, at, position);
drop index events_by_time;

-- A partner who reads about policies only does not pass by all its quotes.
create index events_of_policies on events (partner_id, position) where level = 'policy';

-- What is kept for a while is purged by its age.
create index answers_by_age on idempotency_keys (created_at);
create index scans_by_age on scan_cache (scanned_at);
