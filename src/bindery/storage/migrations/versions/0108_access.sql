-- Mailed links to set a new password, each good once until it expires. Real time, as with sign-ins.
create table password_links (
    token_sha256 bytea primary key,
    user_id integer not null references users,
    expires_at timestamptz not null
);
create index password_links_of_user on password_links (user_id);
create index password_links_by_end on password_links (expires_at);

-- The address that a mail leads to, sealed: the mail itself is kept with a placeholder, and only its recipient
-- sees the link.
alter table mails add column sealed_link bytea;

-- The authenticator app of a user; without `confirmed_at` it is being set up and asks for nothing yet.
create table two_step (
    user_id integer primary key references users,
    sealed bytea not null,
    created_at timestamptz not null,
    confirmed_at timestamptz,
    -- The step of the last code that was taken: no code of it or of an earlier one is taken again.
    last_step bigint not null default 0
);

create table recovery_codes (
    user_id integer not null references two_step on delete cascade,
    code_sha256 bytea not null,
    used_at timestamptz,
    primary key (user_id, code_sha256)
);

-- Users who have given their password and not yet their code.
create table half_sign_ins (
    token_sha256 bytea primary key,
    user_id integer not null references users,
    expires_at timestamptz not null
);
create index half_sign_ins_of_user on half_sign_ins (user_id);
create index half_sign_ins_by_end on half_sign_ins (expires_at);
