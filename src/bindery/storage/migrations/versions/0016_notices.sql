-- What the notices about a policy show, frozen with what they tell of: a cancellation, a lapse, a reinstatement.
-- What happens again has the next version; none ever goes away.
create table notices (
    quote_id uuid not null references quotes,
    type text not null,
    version smallint not null check (version > 0),
    facts text not null,
    event text not null,
    written_at timestamptz not null,
    primary key (quote_id, type, version)
);

-- Which documents there are stands in the contract alone, so that a new one needs no migration.
alter table documents drop constraint documents_type_check;
alter table documents add constraint documents_type_check check (type ~ '^[a-z_]{1,40}$');
