-- beside: 0026
-- The audit log tells before and after, and a chain of hashes tells whether its lines are as they were written.

-- What the line's transaction has changed: {"rows": 2, "of": [{"table", "record", "fields": [{"field", "before", "after"}]}]}.
alter table platform.audit add column changes jsonb;

-- Lines that the chain does not have yet. Ids are given before a transaction commits, so by them alone nobody knows what
-- has come meanwhile; and a row that every writer raised would make them wait for one another.
create table platform.audit_young (
  id bigint primary key,
  since timestamptz not null default clock_timestamp()
);

create function platform.note_young_audit() returns trigger language plpgsql as $$
begin
  insert into platform.audit_young (id) select id from added;
  return null;
end $$;

create trigger audit_young after insert on platform.audit referencing new table as added
  for each statement execute function platform.note_young_audit();

-- Some hundred lines a row. Hash n is that of hash n-1 and line n, 32 bytes each, one behind the other.
create table platform.audit_chain (
  -- place of its first line; the oldest line of all has place 1
  first bigint primary key check (first > 0),
  lines integer not null check (lines > 0),
  -- of a cut: none
  ids bigint[] not null,
  -- of a cut: the last alone
  hashes bytea not null,
  -- which AUDIT_KEY; '' for none
  key_id text not null,
  sealed_at timestamptz not null default clock_timestamp(),
  -- when its lines were removed on purpose
  cut_at timestamptz
);

-- Lines from before the chain are taken in from the oldest on. The trigger above has waited for all who were writing.
create table platform.audit_adoption (
  only_row boolean primary key default true check (only_row),
  -- the last id that has been taken in, and the last that there was
  adopted bigint not null default 0,
  up_to bigint not null
);
insert into platform.audit_adoption (up_to) select coalesce(max(id), 0) from platform.audit;

-- What the last look at the whole chain has found.
create table platform.audit_check (
  only_row boolean primary key default true check (only_row),
  checked_at timestamptz not null,
  lines bigint not null,
  faults bigint not null,
  first_fault text
);

-- Whoever cuts the chain says so to the transaction; all others are refused as before.
create or replace function platform.refuse_change() returns trigger
language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('quintet.audit_cut', true) = 'on' then
    return null;
  end if;
  raise exception 'lines of the audit log are never changed or removed' using errcode = 'insufficient_privilege';
end
$$;
