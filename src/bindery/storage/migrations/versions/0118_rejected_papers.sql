-- What the underwriter wrote to the broker about a file that was not good enough, with `asked_again_at`.
alter table contingencies add column asked_again_because text not null default '';
