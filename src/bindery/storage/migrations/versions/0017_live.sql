-- Single keys are a convenience that some people's software types by accident: each user may switch them off.
alter table users add column has_keys boolean not null default true;

-- Open pages hear of what becomes of a quote after it was ready; of that itself `tell_ready` tells. The steps of
-- the intake tell nothing here.
create function tell_moved() returns trigger language plpgsql as $$
begin
    perform pg_notify('bindery_moved', new.submission_id::text);
    return null;
end
$$;

create trigger tell_moved after update of status on quotes
for each row when (
    old.status <> new.status
    and old.status not in (
        'created', 'aq_created', 'calculating', 'calc_completed', 'broker_conflict_referral',
        'collection_issue', 'red_flags_found', 'calc_failed', 'authority_failed', 'eligible',
        'quick_scan_error', 'missing_quick_scan', 'aq_not_approved'
    )
)
execute function tell_moved();

-- Whoever is signed out hears nothing more, in whichever process the page is open.
create function tell_signed_out() returns trigger language plpgsql as $$
begin
    perform pg_notify('bindery_signed_out', old.user_id::text);
    return null;
end
$$;

create trigger tell_signed_out after delete on sign_ins
for each row execute function tell_signed_out();
