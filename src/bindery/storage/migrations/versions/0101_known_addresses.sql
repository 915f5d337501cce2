-- From where users gave the right password: such an address passes the lock of the account.
create table known_addresses (
    user_id integer not null references users,
    address text not null,
    seen_at timestamptz not null,
    primary key (user_id, address)
);
insert into known_addresses (user_id, address, seen_at)
select user_id, address, max(confirmed_at) from sign_ins group by user_id, address;
