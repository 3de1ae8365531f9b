-- What has happened to a report, the key of receipts, and what makes two more filters of the list fast.

-- By whom under which name, as it was then: accounts are renamed and deleted.
create table reporting.report_event (
  id bigint generated always as identity primary key,
  report_id bigint not null references reporting.report on delete cascade,
  at timestamptz not null default now(),
  what text not null check (what in ('judged', 'closed', 'deleted')),
  user_name text not null,
  name text not null,
  verdict smallint check (verdict in (1, 2)),
  ps text,
  check ((what = 'judged') = (verdict is not null))
);
create index report_event_report on reporting.report_event (report_id, id);

-- Until now the audit log alone knew.
insert into reporting.report_event (report_id, at, what, user_name, name, verdict, ps)
select report.id, audit.at,
  case action when 'closeReport' then 'closed' when 'deleteReports' then 'deleted' else 'judged' end,
  audit.user_name, coalesce(account.name, ''), case action when 'markValid' then 1 when 'markInvalid' then 2 end, detail ->> 'ps'
from platform.audit cross join lateral unnest(records) as record
  join reporting.report on report.id::text = record
  left join platform.account on account.id = audit.account_id
where audit.service = 'reporting' and outcome = 'done'
  and action in ('closeReport', 'deleteReports', 'markValid', 'markInvalid')
order by audit.at, audit.id;

-- Receipts are made from ids under this key. A UUID of PostgreSQL has 122 bits of its strong random source.
create table reporting.receipt_key (
  only_row boolean primary key default true check (only_row),
  key bytea not null
);
insert into reporting.receipt_key (key)
select sha256(convert_to(string_agg(gen_random_uuid()::text, ' '), 'UTF8')) from generate_series(1, 3);

-- The same pieces as before in a sixth of the time: the two indexes of names cost a submission less than half of what they
-- did, which pays for a third. A piece that stands twice is listed twice, which is one to an index.
create or replace function platform.grams(content text) returns text[]
language plpgsql immutable strict parallel safe as $$
declare
  letters text[] := string_to_array(lower(content), null);
  pieces text[] := letters;
begin
  for place in 2 .. cardinality(letters) loop
    pieces := pieces || (letters[place - 1] || letters[place]);
  end loop;
  return pieces;
end $$;

-- What a keyword is looked for in; it cannot reach from one field into the next.
alter table reporting.report add column search text not null
  generated always as (lower(entry_name || E'\x01' || customer_name || E'\x01' || phone)) stored;
create index report_search_grams on reporting.report using gin (platform.grams(search)) with (fastupdate = off);
create index report_newest_of_verdict on reporting.report (deleted, verdict, created_at, id);

-- How many reports each day and state has that were judged; those that were not are what is left of report_tally, so
-- that a submission does not touch this.
create table reporting.verdict_tally (
  day date not null,
  deleted boolean not null,
  closed boolean not null,
  verdict smallint not null,
  reports bigint not null,
  primary key (day, deleted, closed, verdict)
) with (fillfactor = 50);
insert into reporting.verdict_tally (day, deleted, closed, verdict, reports)
select (created_at at time zone zone)::date, deleted, closed, verdict, count(*)
from reporting.report, reporting.tally_zone where verdict <> 0 group by 1, 2, 3, 4;

create function reporting.judged_changed() returns trigger language plpgsql as $$
begin
  insert into reporting.verdict_tally as tally (day, deleted, closed, verdict, reports)
  select (created_at at time zone zone)::date, deleted, closed, verdict, sum(change)
  from (
    select created_at, deleted, closed, verdict, 1 as change from after_change where verdict <> 0
    union all
    select created_at, deleted, closed, verdict, -1 from before_change where verdict <> 0
  ) as changes, reporting.tally_zone
  group by 1, 2, 3, 4 having sum(change) <> 0 order by 1, 2, 3, 4
  on conflict (day, deleted, closed, verdict) do update set reports = tally.reports + excluded.reports;
  return null;
end $$;

create function reporting.judged_removed() returns trigger language plpgsql as $$
begin
  insert into reporting.verdict_tally as tally (day, deleted, closed, verdict, reports)
  select (created_at at time zone zone)::date, deleted, closed, verdict, -count(*)
  from removed, reporting.tally_zone where verdict <> 0 group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (day, deleted, closed, verdict) do update set reports = tally.reports + excluded.reports;
  return null;
end $$;

-- A submission is not judged, and the condition keeps the trigger from it.
create function reporting.judged_inserted() returns trigger language plpgsql as $$
begin
  insert into reporting.verdict_tally as tally (day, deleted, closed, verdict, reports)
  select (new.created_at at time zone zone)::date, new.deleted, new.closed, new.verdict, 1 from reporting.tally_zone
  on conflict (day, deleted, closed, verdict) do update set reports = tally.reports + 1;
  return null;
end $$;

create trigger report_verdict_insert after insert on reporting.report
  for each row when (new.verdict <> 0) execute function reporting.judged_inserted();
create trigger report_verdict_update after update on reporting.report
  referencing old table as before_change new table as after_change for each statement execute function reporting.judged_changed();
create trigger report_verdict_delete after delete on reporting.report
  referencing old table as removed for each statement execute function reporting.judged_removed();
