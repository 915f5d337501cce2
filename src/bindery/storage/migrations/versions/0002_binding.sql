-- Binds, and the policies they lead to: one row for a quote whose bind was asked for.

create sequence policy_numbers as integer;

create table binds (
    quote_id uuid primary key references quotes,
    company_id integer not null,
    partner_id integer not null,
    product text not null,
    asked_at timestamptz not null,
    ask_fingerprint bytea not null,
    attested boolean not null,
    contacts text,
    effective date not null,
    expiration date not null,
    teo_retroactive date,
    mpl_retroactive text,
    policy_number text unique,
    bound_on date,
    fulfil_by date,
    issued_on date,
    in_force boolean not null default false,
    renewal_type text not null default 'auto' check (renewal_type in ('auto', 'manual')),
    -- What became of the policy before its term was over.
    ended_on date,
    ended_because text,
    returned_premium bigint,
    -- The renewal: its submission when one was made, its quote when that was offered. It is settled when it was
    -- bound or left on the day, or when none is made because the company has other cover by then.
    renewal_submission_id uuid,
    renewal_quote_id uuid,
    renewal_settled boolean not null default false,
    reminders_sent smallint not null default 0,
    -- A company's terms of one line never overlap. Without the extension for mixed exclusion constraints, company,
    -- line and day are one number: the company and line in the high bits, the day in the low ones. A lapsed
    -- binder occupies nothing, a canceled policy the days until its end.
    occupies int8range,
    constraint one_policy_at_a_time exclude using gist (occupies with &&)
);
create index binds_of_company on binds (company_id);
create index binders_to_fulfil on binds (fulfil_by) where in_force and issued_on is null;
create index policies_to_end on binds (expiration) where in_force and issued_on is not null;
create index policies_to_renew on binds (expiration)
    where in_force and issued_on is not null and renewal_type = 'auto' and renewal_submission_id is null
      and not renewal_settled;
create index renewals_to_settle on binds (expiration)
    where renewal_quote_id is not null and not renewal_settled;

-- Which option's bind, or request for one, passed a quote over.
alter table quotes add column passed_over_for uuid;
create index quotes_passed_over on quotes (passed_over_for) where passed_over_for is not null;

-- The policy that a submission renews.
alter table submissions add column renews uuid;

-- Mail: written in the transaction of what it tells, sent by a job, kept as the record of what was sent.
create table mails (
    mail_id uuid primary key,
    quote_id uuid,
    kind text not null,
    recipients text[] not null,
    subject text not null,
    body text not null,
    attachments text[] not null default '{}',
    created_at timestamptz not null,
    sent_at timestamptz
);
create unique index one_mail_of_a_kind on mails (quote_id, kind);
create index mails_by_time on mails (created_at);
create index mails_unsent on mails (created_at) where sent_at is null;
