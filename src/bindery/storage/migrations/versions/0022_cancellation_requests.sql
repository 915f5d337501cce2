-- How many requests partners sent in a minute, by what each process has counted; a crash may lose it.
create unlogged table request_counts (
    minute bigint not null,
    process_id uuid not null,
    partner_id integer not null,
    quota text not null,
    requests integer not null,
    primary key (minute, process_id, partner_id, quota)
);

-- A partner's request to cancel a policy: shown with it, and a case on the desk until an underwriter decides.
alter table binds add column cancellation_request text;
alter table binds add column cancellation_answer text;
alter table binds add column cancellation_open boolean not null default false;

alter table desk_items drop constraint desk_items_kind_check;
alter table desk_items add constraint desk_items_kind_check
    check (kind in ('referral', 'bind', 'paper', 'cancellation'));
