-- Links by which the client of a broker reads a proposal, answers questions or signs the application. Whoever has
-- the token has the link: it is found by its hash, and kept sealed beside it, so that its address can be shown to
-- the partner again.
create table client_links (
    link_id uuid primary key,
    token_sha256 bytea not null unique,
    sealed_token bytea not null,
    partner_id integer not null references partners,
    purpose text not null check (purpose in ('proposal', 'signature', 'answers')),
    status text not null check (status in
        ('sent', 'opened', 'signed', 'answered', 'declined', 'expired', 'revoked')),
    -- The option to be signed: of a proposal the recommended one, until the client chooses another.
    quote_id uuid references quotes,
    -- The options that a proposal shows, the recommended one first.
    option_ids uuid[] not null default '{}',
    -- A draft whose questions are asked; drafts are removed, so that nothing refers to them.
    draft_id uuid,
    email text not null,
    name text,
    message text not null default '',
    -- The questions that are asked, and what was answered: JSON as in a request.
    asked text[] not null default '{}',
    answers text,
    created_at timestamptz not null,
    created_by text not null,
    -- Who is written to about what the client does, where that is about a draft.
    broker_email text not null,
    expires_at timestamptz not null,
    openings integer not null default 0,
    opened_at timestamptz,
    chosen_at timestamptz,
    settled_at timestamptz,
    -- What the client found wrong.
    said text,
    check (quote_id is not null or (purpose = 'answers' and draft_id is not null)),
    check ((settled_at is null) = (status in ('sent', 'opened')))
);
create index client_links_of_quote on client_links (quote_id, created_at);
create index client_links_of_draft on client_links (draft_id) where draft_id is not null;
create index client_links_to_expire on client_links (expires_at) where status in ('sent', 'opened');
create index client_links_to_purge on client_links (settled_at) where status in ('expired', 'revoked');
-- What clients did lately, for their brokers.
create index client_links_answered on client_links (partner_id, settled_at)
    where status in ('signed', 'answered', 'declined');

-- The newest code of each link. It is hashed with the link's token, which is kept nowhere in plain, so that nobody
-- finds it by trying all of them. Real time, as with sign-ins.
create table signing_codes (
    link_id uuid primary key references client_links on delete cascade,
    code_sha256 bytea not null,
    sent_at timestamptz not null,
    expires_at timestamptz not null,
    tries integer not null default 0,
    used_at timestamptz
);

-- What is kept of a signature, for good.
create table signatures (
    link_id uuid primary key references client_links,
    quote_id uuid not null references quotes,
    document_id uuid not null references uploads,
    name text not null,
    title text not null,
    email text not null,
    address text not null,
    agent text not null,
    signed_at timestamptz not null,
    -- The version of the letter that the client read.
    version integer not null,
    consent text not null,
    consent_sha256 text not null,
    shown_sha256 text not null,
    signed_sha256 text not null,
    -- The certificate that the signed file is sealed with.
    certificate_sha256 text not null,
    is_stamped boolean not null
);
create index signatures_of_quote on signatures (quote_id);
create function refuse_change_of_signature() returns trigger language plpgsql as $$
begin
    raise exception 'signatures are kept as they were made';
end $$;
create trigger signatures_are_append_only before update or delete or truncate on signatures
    execute function refuse_change_of_signature();
