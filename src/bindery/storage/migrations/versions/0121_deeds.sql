-- Who did what: the actions of operators and of the desk's administration. Real time, as with sign-ins.
create table deeds (
    deed_id bigint generated always as identity primary key,
    at timestamptz not null,
    kind text not null,
    -- A user's address, or an account of the machine whose command line was used; kept as it was then.
    actor text not null,
    actor_id integer references users,
    place text not null,
    about text not null,
    details text not null,
    partner_id integer references partners,
    user_id integer references users,
    token_id text,
    quote_id uuid
);
create index deeds_of_partner on deeds (partner_id, deed_id) where partner_id is not null;
create index deeds_about_user on deeds (user_id, deed_id) where user_id is not null;
create index deeds_of_actor on deeds (actor_id, deed_id) where actor_id is not null;
create index deeds_of_kind on deeds (kind, deed_id);

create function keep_deeds() returns trigger language plpgsql as $$
begin
    raise exception 'deeds are append-only';
end $$;
create trigger deeds_are_append_only before update or delete or truncate on deeds
    for each statement execute function keep_deeds();

alter table tokens
    -- What the partner uses it for.
    add column label text not null default '',
    -- Who issued it, as in `deeds`; unknown of tokens from before.
    add column issued_by text not null default '';

-- A broker who was removed is on nothing new; what is on record stays.
alter table brokers add column removed_at timestamptz;
