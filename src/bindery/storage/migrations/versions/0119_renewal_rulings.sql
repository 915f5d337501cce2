-- What an underwriter has decided on the renewal of a policy: held for a person to look at, or not renewed. It is
-- read wherever a renewal is made, asked for or shown, together with the row that says how the policy renews, so
-- that it is a column of that row. A policy that is not renewed is settled as well: the timetable passes it over.
alter table binds
    add column renewal_ruling text check (renewal_ruling in ('held', 'not_renewed')),
    -- Who decided that, when and why.
    add column renewal_ruled text,
    -- Of columns that come with it and are empty: one pass over the binds.
    -- squawk-ignore constraint-missing-not-valid
    add constraint renewal_ruled_with_reason check ((renewal_ruling is null) = (renewal_ruled is null));

-- A renewal shows what keeps the policy that it renews from renewing by itself.
drop trigger what_stops_a_renewal_is_shown on binds;
create trigger what_stops_a_renewal_is_shown after update on binds
    for each row when (
        old.renewal_type is distinct from new.renewal_type
        or old.cancellation_open is distinct from new.cancellation_open
        or old.renewal_ruling is distinct from new.renewal_ruling
    )
    execute function raise_version_of_renewals();
