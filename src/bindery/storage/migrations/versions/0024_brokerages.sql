-- The brokerage that a broker works for, as papers name it; null where nobody has said.
alter table brokers add column firm text check (length(firm) between 1 and 200);
