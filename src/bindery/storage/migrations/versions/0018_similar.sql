-- The NAICS sector of the applicant, empty where no industry was given: written with the submission, since the
-- industry is in its facts, which are text. Sectors that span several numbers go by the first of them.
alter table submissions add column sector text not null default '';

update submissions set sector = case
    when left(facts::json ->> 'industry', 2) in ('32', '33') then '31'
    when left(facts::json ->> 'industry', 2) = '45' then '44'
    when left(facts::json ->> 'industry', 2) = '49' then '48'
    else left(facts::json ->> 'industry', 2) end
where facts is json object and length(facts::json ->> 'industry') >= 2;

-- Cases of a product and sector by their revenue, read from one revenue outwards.
create index submissions_alike on submissions (product, sector, revenue);
