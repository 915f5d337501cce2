-- What is asked to be otherwise during the term of a policy, with what it costs: nothing of the policy moves
-- before it is issued.
create table policy_changes (
    change_id uuid primary key,
    quote_id uuid not null references quotes,
    status text not null
        check (status in ('quoted', 'referred', 'issued', 'declined', 'withdrawn', 'expired')),
    effective date not null,
    -- The request and its price, as JSON.
    asked text not null,
    priced text not null,
    -- Codes of why an underwriter decides.
    reasons text[] not null,
    valid_until date not null,
    requested_at timestamptz not null,
    requested_by text not null,
    settled_at timestamptz,
    settled_by text,
    answer text,
    -- The version of the endorsement, and the entry of the journal that it is booked with.
    endorsement smallint,
    journal_entry integer,
    unique (quote_id, endorsement),
    -- Marked as issued before the step that says so, by which the desk is brought in step.
    foreign key (quote_id, journal_entry) references journal deferrable initially deferred,
    check ((status = 'issued') = (endorsement is not null) and (endorsement is null) = (journal_entry is null))
);
-- Of two that are asked for at once, one is; a change is worked out on what the policy is without it.
create unique index one_open_change on policy_changes (quote_id) where status in ('quoted', 'referred');
create index policy_changes_of_quote on policy_changes (quote_id, requested_at desc);

-- Who else is insured, as JSON; null for nobody.
alter table binds add column additional_insured text;

-- A broader one by the same name takes its place in this transaction.
-- squawk-ignore ban-drop-constraint
alter table desk_items drop constraint desk_items_kind_check;
-- Every row passes, since it passed the narrower one: one pass over the desk's items.
-- squawk-ignore constraint-missing-not-valid
alter table desk_items add constraint desk_items_kind_check
    check (kind in ('referral', 'bind', 'paper', 'cancellation', 'approval', 'change'));

-- An endorsement adds premium or takes it back. Broader ones by the same names, as above.
-- squawk-ignore ban-drop-constraint
alter table premium_transactions drop constraint premium_transactions_kind_check;
-- Every row passes, as above: one pass over the transactions.
-- squawk-ignore constraint-missing-not-valid
alter table premium_transactions add constraint premium_transactions_kind_check
    check (kind in ('original', 'endorsement', 'cancellation', 'reinstatement', 'lapse'));
-- As above.
-- squawk-ignore ban-drop-constraint
alter table premium_transactions drop constraint premium_transactions_check1;
-- As above.
-- squawk-ignore constraint-missing-not-valid
alter table premium_transactions add constraint premium_transactions_check1 check (
    case when kind in ('original', 'reinstatement') then premium >= 0 and charges >= 0
         when kind = 'endorsement' then premium >= 0 and charges >= 0 or premium <= 0 and charges <= 0
         else premium <= 0 and charges <= 0 end);
