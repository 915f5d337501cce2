-- What each step of a policy adds to the book or takes from it: premium in whole dollars, charges to the cent.
create table premium_transactions (
    transaction_id bigint generated always as identity primary key,
    quote_id uuid not null references quotes,
    -- The policy's own count, without gaps.
    number smallint not null check (number > 0),
    kind text not null check (kind in ('original', 'cancellation', 'reinstatement', 'lapse')),
    journal_entry integer not null,
    -- The business day on which it happened, and the day from which it holds.
    booked_on date not null,
    effective date not null,
    premium bigint not null,
    charges numeric(14, 2) not null,
    -- The charges one by one, as JSON.
    charge_lines text not null,
    -- The number of the transaction that it takes back.
    reverses smallint,
    partner_id integer not null references partners,
    product text not null,
    state text not null,
    unique (quote_id, number),
    unique (quote_id, journal_entry),
    foreign key (quote_id, journal_entry) references journal,
    foreign key (quote_id, reverses) references premium_transactions (quote_id, number),
    check ((kind in ('reinstatement', 'lapse')) = (reverses is not null)),
    check (case when kind in ('original', 'reinstatement') then premium >= 0 and charges >= 0
                else premium <= 0 and charges <= 0 end)
);
create index premium_transactions_by_day on premium_transactions (booked_on, transaction_id);

-- What has happened so far, from the journal, the binds and the notices of cancellation.
create temporary table booked on commit drop as
with steps as (
    select quote_id, entry, trigger, at, data,
           row_number() over (partition by quote_id, trigger order by entry) as nth,
           row_number() over (partition by quote_id order by entry) as number
    from journal where trigger in ('bind', 'cancel', 'reinstate', 'lapse')
), bound as (
    select b.quote_id, b.effective, b.bound_on, b.ended_on, q.partner_id, q.product, s.state,
           coalesce(q.premium, 0) as premium, coalesce(l.lines, '[]') as lines, coalesce(l.total, 0) as total
    from binds b join quotes q using (quote_id) join submissions s using (submission_id)
    left join lateral (
        select jsonb_agg(line) as lines, sum((line ->> 'price')::numeric) as total
        from jsonb_array_elements(coalesce(q.assessment::jsonb -> 'surcharges', '[]')) line
    ) l on true
    where b.policy_number is not null
), originals as (
    select b.*, s.entry, s.number, coalesce(b.bound_on, (s.at at time zone 'UTC')::date) as booked_on
    from bound b join steps s on s.quote_id = b.quote_id and s.trigger = 'bind'
), noticed as (
    -- A notice from before charges were returned says nothing of them, and none were. Nor were they where the
    -- premium was never paid, but what is earned has its own.
    select s.quote_id, s.entry, s.number,
           coalesce((e ->> 'on')::date, (s.at at time zone 'UTC')::date) as booked_on,
           coalesce(e ->> 'effective', s.data::jsonb ->> 'effective')::date as effective,
           b.premium - coalesce((e ->> 'earned')::bigint, b.premium - coalesce(
               (e ->> 'returned_premium')::bigint, (s.data::jsonb ->> 'returned_premium')::bigint, 0)
           ) as unearned,
           case when e ->> 'reason_code' = 'nonpayment'
                then b.total - coalesce((e ->> 'charges_due')::numeric, b.total)
                else coalesce((e ->> 'charges_returned')::numeric, 0) end as back,
           b.lines, b.state, b.effective as term_effective
    from steps s join bound b using (quote_id)
    left join notices n on n.quote_id = s.quote_id and n.type = 'cancellation_notice' and n.version = s.nth
    cross join lateral (select n.event::jsonb as e) event
    where s.trigger = 'cancel'
), line_by_line as (
    -- The notice has the sum alone. Fixed fees stay; so does Idaho's stamping fee, unless the policy was canceled
    -- from its first day. The tax, which is the first line, has what the other lines leave.
    select n.quote_id, n.entry, line, place, n.back,
           case when n.back = 0 or (line ->> 'percentage')::numeric = 0 then 0
                when n.effective <= n.term_effective then (line ->> 'price')::numeric
                when n.state = 'ID' then 0
                else least((line ->> 'price')::numeric,
                           round(n.unearned * (line ->> 'percentage')::numeric / 100, 2)) end as price
    from noticed n cross join lateral jsonb_array_elements(n.lines) with ordinality as l (line, place)
), returned as (
    select quote_id, entry, jsonb_agg(jsonb_set(line, '{price}', to_jsonb((-case
               when place = 1 then back - others else price end)::numeric(14, 2)::text)) order by place) as lines
    from (select *, sum(price) over (partition by quote_id, entry) - price as others from line_by_line) l
    group by quote_id, entry
), canceled as (
    select n.*, coalesce(r.lines, '[]') as back_lines
    from noticed n left join returned r using (quote_id, entry)
)
select o.quote_id, o.number, 'original' as kind, o.entry, o.booked_on, o.effective, o.premium,
       o.total as charges, o.lines::text as charge_lines, null::bigint as reverses
from originals o
union all
select quote_id, number, 'cancellation', entry, booked_on, effective, -unearned, -back, back_lines::text, null
from canceled
union all
-- A reinstatement takes the cancellation before it back, a lapse the bind.
select s.quote_id, s.number, case s.trigger when 'lapse' then 'lapse' else 'reinstatement' end, s.entry,
       case s.trigger when 'lapse' then coalesce(o.ended_on, (s.at at time zone 'UTC')::date)
            else coalesce((n.event::jsonb ->> 'on')::date, (s.at at time zone 'UTC')::date) end,
       coalesce(c.effective, o.effective),
       case s.trigger when 'lapse' then -o.premium else c.unearned end,
       case s.trigger when 'lapse' then -o.total else c.back end,
       (select coalesce(jsonb_agg(jsonb_set(line, '{price}', to_jsonb((-(line ->> 'price')::numeric)::text))
                        order by place), '[]')::text
        from jsonb_array_elements(case s.trigger when 'lapse' then o.lines else c.back_lines end)
             with ordinality as l (line, place)),
       case s.trigger when 'lapse' then o.number else c.number end
from steps s join originals o using (quote_id)
left join lateral (
    select * from canceled c where c.quote_id = s.quote_id and c.entry < s.entry and s.trigger = 'reinstate'
    order by c.entry desc limit 1
) c on true
left join notices n on n.quote_id = s.quote_id and n.type = 'reinstatement_notice' and n.version = s.nth
where s.trigger in ('reinstate', 'lapse');

insert into premium_transactions (
    quote_id, number, kind, journal_entry, booked_on, effective, premium, charges, charge_lines, reverses,
    partner_id, product, state)
select b.quote_id, b.number, b.kind, b.entry, b.booked_on, b.effective, b.premium, b.charges, b.charge_lines,
       b.reverses, q.partner_id, q.product, s.state
from booked b join quotes q using (quote_id) join submissions s using (submission_id)
order by b.booked_on, b.quote_id, b.number;

create function keep_premium_transactions() returns trigger language plpgsql as $$
begin
    raise exception 'premium transactions are append-only';
end $$;
create trigger premium_transactions_are_append_only before update or delete or truncate on premium_transactions
    for each statement execute function keep_premium_transactions();
