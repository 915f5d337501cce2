-- The marks that a binder has reached now: a row comes with the transaction that takes the premium, stays as it is
-- until premium is given back below the mark, and then goes.
create table binder_marks (
    binder_id integer not null references binders,
    mark smallint not null,
    passed_at timestamptz not null,
    primary key (binder_id, mark)
);

create function note_binder_marks() returns trigger language plpgsql as $$
begin
    delete from binder_marks
    where binder_id = new.binder_id
      and not (mark = any(new.notify_at) and new.premium_booked * 100 >= mark * new.premium_limit);
    -- The business's clock, which only a demo moves ahead.
    insert into binder_marks (binder_id, mark, passed_at)
    select new.binder_id, mark, now() + (select ahead from service_clock)
    from unnest(new.notify_at) as mark
    where new.premium_booked * 100 >= mark * new.premium_limit
    on conflict (binder_id, mark) do nothing;
    return null;
end $$;

insert into binder_marks (binder_id, mark, passed_at)
select binder_id, mark, now() + (select ahead from service_clock)
from binders, unnest(notify_at) as mark
where premium_booked * 100 >= mark * premium_limit;

create trigger binder_marks_reached after insert or update of premium_booked, premium_limit, notify_at on binders
    for each row execute function note_binder_marks();
