"""What a database's tables are made of, as lines to compare with those of another database."""

import asyncpg

_OURS = "n.nspname in ('public', 'pgq') and {0} not like 'alembic_version%'"

_CATALOG = f"""
select format('%s %s.%s %s %s', case c.relkind when 'r' then 'table' when 'S' then 'sequence' end, n.nspname,
              c.relname, c.relpersistence, c.reloptions)
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'S') and {_OURS.format("c.relname")}
union all
select format('column %s.%s %s %s %s not null %s default %s identity %s generated %s collation %s',
              n.nspname, c.relname, row_number() over (partition by c.oid order by a.attnum), a.attname,
              format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid),
              a.attidentity, a.attgenerated, a.attcollation::regcollation)
from pg_attribute a
join pg_class c on c.oid = a.attrelid
join pg_namespace n on n.oid = c.relnamespace
left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
where c.relkind = 'r' and a.attnum > 0 and not a.attisdropped and {_OURS.format("c.relname")}
union all
select format('index %s valid %s', pg_get_indexdef(i.indexrelid), i.indisvalid)
from pg_index i
join pg_class c on c.oid = i.indrelid
join pg_namespace n on n.oid = c.relnamespace
where {_OURS.format("c.relname")}
union all
select format('constraint %s.%s %s %s valid %s', n.nspname, c.relname, k.conname, pg_get_constraintdef(k.oid),
              k.convalidated)
from pg_constraint k
join pg_class c on c.oid = k.conrelid
join pg_namespace n on n.oid = c.relnamespace
where {_OURS.format("c.relname")}
union all
select format('trigger %s enabled %s', pg_get_triggerdef(t.oid), t.tgenabled)
from pg_trigger t
join pg_class c on c.oid = t.tgrelid
join pg_namespace n on n.oid = c.relnamespace
where not t.tgisinternal and {_OURS.format("c.relname")}
union all
select format('function %s', pg_get_functiondef(p.oid))
from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where {_OURS.format("p.proname")}
union all
select format('sequence %s.%s %s start %s from %s to %s by %s cycle %s cache %s', schemaname, sequencename,
              data_type, start_value, min_value, max_value, increment_by, cycle, cache_size)
from pg_sequences
union all
select format('enum %s.%s %s %s', n.nspname, t.typname, e.enumsortorder, e.enumlabel)
from pg_enum e join pg_type t on t.oid = e.enumtypid join pg_namespace n on n.oid = t.typnamespace
order by 1
"""


async def catalog_of(connection: "asyncpg.Connection[asyncpg.Record]") -> list[str]:
    """Return a line for each table, column, index, constraint, trigger, function, sequence and enum value."""
    return [row[0] for row in await connection.fetch(_CATALOG)]
