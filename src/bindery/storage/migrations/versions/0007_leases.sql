-- A claim on a delivery is a lease: nobody has to show that it lives, and what a dead worker held is free when its
-- time is over. Real time of the database, whatever the business clock says, so that no two machines' clocks are
-- compared. The value also names the claim: a lease that was taken over has another.
drop index deliveries_due;
drop index deliveries_claimed;
alter table deliveries drop column claimed_by;
alter table deliveries add column claimed_until timestamptz;
create index deliveries_due on deliveries (webhook_id, due_at, delivery_id) where claimed_until is null;
create index deliveries_claimed on deliveries (claimed_until) where claimed_until is not null;
drop table couriers;
