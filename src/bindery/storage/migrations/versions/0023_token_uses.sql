-- When a token was last used, to the hour. Not a column of `tokens`: every change of that table makes all
-- processes forget who may come in.
create table token_uses (
    token_id text primary key references tokens,
    used_at timestamptz not null
);
