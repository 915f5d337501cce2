-- An underwriter may ask for a file again: those that came before do not count any more.
alter table contingencies add column asked_again_at timestamptz;

-- The day on which the last file came in that a conditional binder owes; null while one is missing. A binder for
-- which that was in time does not lapse before somebody has looked.
alter table binds add column received_on date;

-- Binders of before. The time zone of the business is a setting of the program: half a day is in their favor.
update binds b set received_on = owed.last_file
from (
    select c.quote_id, (max(u.first_file) at time zone 'UTC' - interval '12 hours')::date as last_file
    from contingencies c
    left join lateral (
        select min(uploaded_at) as first_file from uploads
        where uploads.quote_id = c.quote_id and uploads.contingency_id = c.contingency_id
          and uploads.finding::json ->> 'verdict' <> 'damaged'
    ) u on true
    where c.status = 'open'
    group by c.quote_id
    having bool_and(u.first_file is not null)
) owed
where owed.quote_id = b.quote_id and b.in_force and b.issued_on is null;

-- A renewal shows whether the policy that it renews does so automatically, and whether a request to cancel that
-- policy keeps it from doing so.
drop trigger renewal_type_is_shown on binds;
create trigger what_stops_a_renewal_is_shown after update on binds
    for each row when (
        old.renewal_type is distinct from new.renewal_type
        or old.cancellation_open is distinct from new.cancellation_open
    )
    execute function raise_version_of_renewals();

-- Open pages are notified of a colleague's upload as of a step.
create function tell_uploaded() returns trigger language plpgsql as $$
begin
    perform pg_notify('bindery_moved', (select submission_id::text from quotes where quote_id = new.quote_id));
    return null;
end
$$;
create trigger tell_uploaded after insert on uploads
    for each row execute function tell_uploaded();
