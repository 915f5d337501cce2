-- When all answers of a client were in the draft, and who took them over where they differed from it; empty while
-- the broker has to choose between two.
alter table client_links add column taken_at timestamptz, add column taken_by text;
-- What clients answered to the questions of drafts, for the brokers who asked.
-- In the step's transaction, all of it or nothing: writers wait for one pass over the table.
-- squawk-ignore require-concurrent-index-creation
create index client_links_for_drafts on client_links (partner_id, settled_at)
    where draft_id is not null and status = 'answered';
