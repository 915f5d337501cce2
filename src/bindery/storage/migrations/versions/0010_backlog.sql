-- What waits for a person is counted every few seconds; each index holds only that.
create index jobs_failed on pgq.pgqueuer (entrypoint) where status = 'failed';
create index quotes_bind_requested on quotes (quote_id) where status = 'quote_bind_requested';
create index webhooks_disabled on webhooks (webhook_id) where status = 'disabled';
