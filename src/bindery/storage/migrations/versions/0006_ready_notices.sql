-- Whoever waits for a quote hears when it is ready. One notice a submission and transaction: PostgreSQL drops
-- equal ones, and takes the lock that all notices share only in the transactions that have one. The condition
-- is what the program calls NOT_READY; the steps in between tell nothing.
create function tell_ready() returns trigger language plpgsql as $$
begin
    perform pg_notify('bindery_ready', new.submission_id::text);
    return null;
end
$$;

create trigger tell_ready after update of status on quotes
for each row when (
    old.status in (
        'created', 'aq_created', 'calculating', 'calc_completed', 'broker_conflict_referral',
        'collection_issue', 'red_flags_found', 'calc_failed', 'authority_failed', 'eligible',
        'quick_scan_error', 'missing_quick_scan', 'aq_not_approved'
    )
    and new.status not in (
        'created', 'aq_created', 'calculating', 'calc_completed', 'broker_conflict_referral',
        'collection_issue', 'red_flags_found', 'calc_failed', 'authority_failed', 'eligible',
        'quick_scan_error', 'missing_quick_scan', 'aq_not_approved'
    )
)
execute function tell_ready();
