-- Totals of the audit log without counting its lines, and a map of the hours in which the lines of a filter lie.
--
-- A tally that every writer raised would make them queue for its row until the other's transaction ends, and two that
-- write two lines each could lock one another out. So a writer only appends what it adds, without an index, and a job
-- moves the additions into the tallies each minute. Tally and additions together are exact at every moment, since one
-- statement sees either both sides of a move or none. Ids or transaction numbers could not tell what has been counted:
-- the former commit out of order, the latter begin anew when a backup is loaded into another server.
--
-- Lines of the audit log are never changed or removed; whoever does it by hand has to set the tally right.

-- For the log as a whole, or of one service: some ten thousand rows a year.
create table platform.audit_tally (
  hour timestamptz not null,
  service text not null,
  lines bigint not null,
  primary key (hour, service)
);

-- For a search by user or action.
create table platform.audit_tally_detail (
  hour timestamptz not null,
  service text not null,
  user_name text not null,
  action text not null,
  lines bigint not null,
  primary key (hour, service, user_name, action)
);

create table platform.audit_tally_addition (
  hour timestamptz not null,
  service text not null,
  user_name text not null,
  action text not null,
  lines bigint not null
);

create function platform.tally_audit() returns trigger
language plpgsql as $$
begin
  insert into platform.audit_tally_addition (hour, service, user_name, action, lines)
  select date_trunc('hour', at, 'UTC'), service, user_name, action, count(*) from added group by 1, 2, 3, 4;
  return null;
end
$$;

create trigger audit_tally after insert on platform.audit
referencing new table as added
for each statement execute function platform.tally_audit();

insert into platform.audit_tally (hour, service, lines)
select date_trunc('hour', at, 'UTC'), service, count(*) from platform.audit group by 1, 2;

insert into platform.audit_tally_detail (hour, service, user_name, action, lines)
select date_trunc('hour', at, 'UTC'), service, user_name, action, count(*) from platform.audit group by 1, 2, 3, 4;
