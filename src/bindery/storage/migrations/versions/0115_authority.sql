-- How far an underwriter may decide alone, for each product. Who has no row is not bounded, unless letters are
-- required; who has some may not decide about products without one.
create table authority_letters (
    user_id integer not null references users,
    product text not null check (product in ('CYB', 'TEO', 'MPL')),
    aggregate_limit bigint not null check (aggregate_limit >= 0),
    premium bigint not null check (premium >= 0),
    -- In percent of the tariff's premium, on either side of it.
    deviation integer not null check (deviation between 0 and 1000),
    may_cancel boolean not null default false,
    may_set_by_hand boolean not null default false,
    set_at timestamptz not null,
    set_by text not null,
    primary key (user_id, product)
);
