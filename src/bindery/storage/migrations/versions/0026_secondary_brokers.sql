-- The address in `client.secondary_broker_email`; null where the request has none, as hardly any has.
alter table submissions add column secondary_broker_email text
    check (secondary_broker_email = lower(secondary_broker_email));

-- Looking for the field, or a spelling of it, is cheaper than reading JSON.
update submissions set secondary_broker_email = lower(body::json #>> '{client,secondary_broker_email}')
where case when strpos(body, '"secondary_broker_email"') > 0 or strpos(body, '\u00') > 0
           then body::json #>> '{client,secondary_broker_email}' is not null end;

-- A broker's companies are read from these indexes alone, however few they are in a large book. The first holds
-- hardly any submission, so that an intake seldom writes to it; the second was there without the company.
create index submissions_of_secondary_broker on submissions (partner_id, secondary_broker_email, created_at)
    include (company_id) where secondary_broker_email is not null;
drop index submissions_of_broker;
create index submissions_of_broker on submissions (broker_id, created_at, submission_id) include (company_id);
