-- Open pages of operators hear what went wrong. Neither happens on the way of a quote.
create function tell_operators() returns trigger language plpgsql as $$
begin
    perform pg_notify('bindery_ops', '');
    return null;
end
$$;

create trigger tell_job_failed after update of status on pgq.pgqueuer
for each row when (new.status = 'failed' and old.status <> 'failed')
execute function tell_operators();

create trigger tell_webhook_fails after update of failing_since on webhooks
for each row when (old.failing_since is null and new.failing_since is not null)
execute function tell_operators();
