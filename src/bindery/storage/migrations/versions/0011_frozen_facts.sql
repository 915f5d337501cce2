-- What the documents of a quote show, written with the offer, the bind or the issuance. The documents are made
-- from it when somebody asks for them, or when a worker has nothing else to do, and are the same either way.

-- What all options of a submission share.
create table applicant_facts (
    submission_id uuid primary key references submissions,
    facts text not null
);

-- Packets from before have no facts: their documents were made with them.
alter table packets add column facts text;
alter table packets add column documents_made boolean not null default true;
alter table packets alter column documents_made set default false;
-- The worker that makes its documents has it until then, by the real clock.
alter table packets add column claimed_until timestamptz;

create index packets_to_make on packets (made_at) where not documents_made;
