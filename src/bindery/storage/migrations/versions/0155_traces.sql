-- As W3C Trace Context writes it; null where nothing was traced. Nobody searches for it.
alter table deliveries add column trace text;
