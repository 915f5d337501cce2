-- One version of everything that a partner sees of a quote. Whatever writes a row that is shown raises it, in the
-- same transaction: an answer that was given for a version holds as long as the version does.

alter table quotes add column shown_version bigint not null default 0;

create function raise_own_version() returns trigger language plpgsql as $$
begin
    new.shown_version := old.shown_version + 1;
    return new;
end $$;
create trigger quote_is_shown before update on quotes
    for each row execute function raise_own_version();

-- Contingencies need no trigger: each of their changes is a step of the quote itself.
create function raise_version_of_quote() returns trigger language plpgsql as $$
begin
    update quotes set shown_version = shown_version + 1 where quote_id = new.quote_id;
    return null;
end $$;
create trigger upload_is_shown after insert or update on uploads
    for each row execute function raise_version_of_quote();
create trigger bind_is_shown after insert or update on binds
    for each row execute function raise_version_of_quote();

-- A renewal shows whether the policy that it renews does so automatically.
create index renewals_of_policy on submissions (renews) where renews is not null;

create function raise_version_of_renewals() returns trigger language plpgsql as $$
begin
    update quotes set shown_version = shown_version + 1
    where submission_id in (select submission_id from submissions where renews = new.quote_id);
    return null;
end $$;
create trigger renewal_type_is_shown after update on binds
    for each row when (old.renewal_type is distinct from new.renewal_type)
    execute function raise_version_of_renewals();

-- The answer to a bind, as it was given: the same request sent again is answered with it.
alter table binds add column receipt text;
