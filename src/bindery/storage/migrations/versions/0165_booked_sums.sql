-- The ledger by state, month and charge, so that what is owed to the states is known without reading all of it.
-- Each statement that books adds rows of its own in its own transaction, so that nobody waits for anybody; the worker
-- adds them up once an hour.
create table booked_sums (
    state text not null,
    month date not null,
    -- Binds apart from everything else, since some states want no more than them.
    is_new boolean not null,
    -- Of a charge; empty for premium, which counts the transactions too.
    title text not null,
    transactions integer not null,
    amount numeric(16, 2) not null
);

create function sum_booked() returns trigger language plpgsql as $$
begin
    insert into booked_sums
    select state, date_trunc('month', booked_on)::date, kind = 'original', '', count(*), sum(premium)
    from booked group by 1, 2, 3
    union all
    select state, date_trunc('month', booked_on)::date, kind = 'original', line ->> 'title', 0,
           sum((line ->> 'price')::numeric)
    from booked cross join json_array_elements(charge_lines::json) line group by 1, 2, 3, 4;
    return null;
end $$;
-- From here on nothing is booked until this migration is done.
create trigger premium_transactions_are_summed after insert on premium_transactions
    referencing new table as booked for each statement execute function sum_booked();

insert into booked_sums
select state, date_trunc('month', booked_on)::date, kind = 'original', '', count(*), sum(premium)
from premium_transactions group by 1, 2, 3
union all
select state, date_trunc('month', booked_on)::date, kind = 'original', line ->> 'title', 0,
       sum((line ->> 'price')::numeric)
from premium_transactions cross join json_array_elements(charge_lines::json) line group by 1, 2, 3, 4;
