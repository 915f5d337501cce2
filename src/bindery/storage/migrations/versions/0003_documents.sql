-- Generated documents: what is in them lies with the files, named by its hash. A row never changes: what has to
-- be said anew gets the next version.

create table documents (
    quote_id uuid not null references quotes,
    type text not null check (type in (
        'quote_letter', 'policy_specimen', 'binder', 'policy', 'application', 'recommendations', 'binder_tria',
        'billing_statement', 'security_letter', 'security_report')),
    version smallint not null default 1 check (version > 0),
    sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
    size integer not null check (size > 0),
    -- What the application prints of its own content, to know a signed copy again; others have none.
    fingerprint text,
    made_at timestamptz not null,
    primary key (quote_id, type, version)
);

-- The forms of a packet, frozen when it was made: a later edition does not change what was sent out.
create table packets (
    quote_id uuid not null references quotes,
    packet text not null check (packet in ('quote', 'binder', 'policy')),
    forms text not null,
    made_at timestamptz not null,
    primary key (quote_id, packet)
);

create table uploads (
    document_id uuid primary key,
    quote_id uuid not null references quotes,
    contingency_id bigint references contingencies,
    name text not null,
    content_type text not null,
    size integer not null check (size > 0),
    sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
    uploaded_at timestamptz not null,
    uploaded_by text not null,
    -- What a reader made of it: compared with the issued application where it is for the signature contingency.
    finding text not null
);
create index uploads_of_quote on uploads (quote_id);
