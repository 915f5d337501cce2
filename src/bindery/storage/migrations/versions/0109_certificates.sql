-- Certificates for holders. One issue is one form or one file of holders; the facts are those of its day.
create table certificate_issues (
    issue_id uuid primary key,
    quote_id uuid not null references quotes,
    issued_at timestamptz not null,
    issued_by text not null,
    first_number integer not null check (first_number > 0),
    count integer not null check (count > 0),
    facts text not null,
    -- Of the facts and all holders: what is sent twice on one day is issued once.
    content_sha256 bytea not null,
    unique (quote_id, content_sha256)
);

create table certificates (
    quote_id uuid not null references quotes,
    number integer not null check (number > 0),
    issue_id uuid not null references certificate_issues,
    name text not null,
    street text not null,
    street2 text not null,
    city text not null,
    state text not null,
    zip text not null,
    wording text not null,
    description text not null,
    -- Of the file, once somebody has asked for it.
    sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
    primary key (quote_id, number)
);
create index certificates_of_issue on certificates (issue_id, number);

-- What was issued stays as it was; only the file is added.
create function refuse_certificate_change() returns trigger language plpgsql as $$
begin
    raise exception 'certificates are append-only';
end $$;
create trigger certificate_issues_are_append_only before update or delete or truncate on certificate_issues
    execute function refuse_certificate_change();
create trigger certificates_are_append_only before delete or truncate on certificates
    execute function refuse_certificate_change();
create trigger certificates_stay
    before update of quote_id, number, issue_id, name, street, street2, city, state, zip, wording, description
    on certificates execute function refuse_certificate_change();
create trigger certificate_files_stay before update of sha256 on certificates
    for each row when (old.sha256 is not null) execute function refuse_certificate_change();
