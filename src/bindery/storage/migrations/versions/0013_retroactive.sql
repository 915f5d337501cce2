-- A term has one retroactive date: a day, or full_prior_acts. Which of them a product takes, it says itself.
alter table binds add column retroactive text;
update binds set retroactive = coalesce(to_char(teo_retroactive, 'YYYY-MM-DD'), mpl_retroactive)
where teo_retroactive is not null or mpl_retroactive is not null;
alter table binds drop column teo_retroactive, drop column mpl_retroactive;

-- Which products there are stands in the contract alone, so that a new one needs no migration.
alter table submissions drop constraint submissions_product_check;
alter table submissions add constraint submissions_product_check check (product ~ '^[A-Z]{3}$');
