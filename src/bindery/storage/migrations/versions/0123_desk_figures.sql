-- Days that were figured before have none of these, and count counter-offers among what was submitted.
alter table daily_figures
    add column offered integer not null default 0,
    add column subjectivities integer not null default 0,
    add column returned bigint not null default 0;
