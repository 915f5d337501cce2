-- The facts of the second and later versions of documents. The first version is frozen with its packet.
create table editions (
    quote_id uuid not null references quotes,
    -- The contract alone lists the types, so that a new one needs no migration.
    type text not null check (type ~ '^[a-z_]{1,40}$'),
    version smallint not null check (version > 1),
    facts text not null,
    frozen_at timestamptz not null,
    primary key (quote_id, type, version)
);

-- The documents that the next notice of a packet is about; null for all of them.
alter table packets add column renewed text[];

-- A comparison used to be numbered by how many options were on it. Its versions are the moments at which an option of
-- the submission was offered or changed. In two steps, as one would pass through numbers that are taken.
update documents set version = version + 10000 where type = 'comparison';
update documents d set version = (
    select greatest(1, count(distinct offered.made_at)) from (
        select p.made_at from quotes mine join quotes other using (submission_id)
        join packets p on p.quote_id = other.quote_id and p.packet = 'quote'
        where mine.quote_id = d.quote_id
        order by p.made_at, other.option_number limit d.version - 10000
    ) as offered
)
where type = 'comparison';

-- How a contingency was closed, and why; null for those closed before this was recorded.
alter table contingencies add column closed_as text, add column closed_reason text;
alter table contingencies add constraint contingencies_closed_as
    check (closed_as is null or (closed_as in ('fulfilled', 'waived', 'attested') and status = 'closed')) not valid;
