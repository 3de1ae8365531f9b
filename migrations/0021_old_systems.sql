-- beside: 0006

-- What has come of rows of old databases. `digest` is of the old row, `here` of what was stored of it here: by these it is
-- known which of the two has changed since.
create table platform.old_row (
  record text not null,
  old_id bigint not null,
  id bigint not null,
  digest uuid not null,
  here uuid not null,
  primary key (record, old_id)
);

-- The old systems' uploads that have been copied, by their address there.
create table platform.old_file (
  service text not null,
  address text not null,
  upload text not null,
  sha256 bytea not null,
  primary key (service, address)
);
create index old_file_path on platform.old_file (regexp_replace(address, '^https?://[^/]*', ''));

-- Which services have been brought over whole.
create table platform.old_service (
  service text primary key,
  brought_at timestamptz not null default now()
);

-- Has a table's ids that are given from now on lie above one, which only the sequence's owner may say.
create function platform.move_ids(of_table text, above bigint) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  select setval(pg_get_serial_sequence(of_table, 'id'), greatest(above, nextval(pg_get_serial_sequence(of_table, 'id'))))
$$;
