-- What is beyond one underwriter's authority and waits for another. It holds as long as nothing has happened to
-- the options since: `seen_steps` are their last steps that the first person saw, in the order of `quote_ids`.
create table asked_approvals (
    approval_id uuid primary key,
    submission_id uuid not null references submissions,
    asked_by integer not null references users,
    asked_to integer not null references users,
    asked_at timestamptz not null,
    quote_ids uuid[] not null,
    seen_steps integer[] not null,
    -- The decisions, as the actions take them.
    decisions text not null,
    beyond text[] not null,
    answer text check (answer in ('approved', 'declined', 'sent_back', 'taken_back', 'dropped')),
    reason text not null default '',
    answered_by integer references users,
    answered_at timestamptz,
    check ((answer is null) = (answered_at is null)),
    check (array_length(quote_ids, 1) = array_length(seen_steps, 1))
);
-- One of a submission waits at a time.
create unique index asked_approvals_open on asked_approvals (submission_id) where answer is null;
create index asked_approvals_of_submission on asked_approvals (submission_id, answered_at desc);

-- A broader one by the same name takes its place in this transaction.
-- squawk-ignore ban-drop-constraint
alter table desk_items drop constraint desk_items_kind_check;
-- Every row passes, since it passed the narrower one: one pass over the desk's items.
-- squawk-ignore constraint-missing-not-valid
alter table desk_items add constraint desk_items_kind_check
    check (kind in ('referral', 'bind', 'paper', 'cancellation', 'approval'));
