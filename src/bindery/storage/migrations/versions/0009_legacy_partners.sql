-- Identifiers of version 0.1 were one space for all partners: two with the same old id stood in each other's way.

alter table legacy_ids add column partner_id integer references partners;

-- The case keeps the casts to the rows that they fit, in whatever order the conditions are judged.
update legacy_ids l set partner_id = q.partner_id from quotes q
    where q.quote_id = case when l.kind = 'quote' then l.new_id::uuid end;
update legacy_ids l set partner_id = c.partner_id from companies c
    where c.company_id = case when l.kind = 'company' then l.new_id::integer end;
-- What stands for nothing here has resolved to nothing all along.
delete from legacy_ids where partner_id is null;

alter table legacy_ids
    alter column partner_id set not null,
    drop constraint legacy_ids_pkey,
    add primary key (partner_id, kind, old_id);
