-- Disabled webhooks are counted every few seconds; the index holds only those.
create index webhooks_disabled on webhooks (webhook_id) where status = 'disabled';
