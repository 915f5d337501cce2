-- A partner's request to cancel a policy: shown with it, and a case on the desk until an underwriter decides.
alter table binds add column cancellation_request text;
alter table binds add column cancellation_answer text;
alter table binds add column cancellation_open boolean not null default false;

alter table desk_items drop constraint desk_items_kind_check;
alter table desk_items add constraint desk_items_kind_check
    check (kind in ('referral', 'bind', 'paper', 'cancellation'));
