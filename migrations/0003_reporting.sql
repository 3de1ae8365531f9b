-- Reports of projects, and what makes their lists fast.

create schema reporting;

create table reporting.report (
  id bigint generated always as identity primary key,
  name text not null,
  phone text not null,
  wx_phone text,
  company text not null,
  customer_name text not null,
  entry_name text not null,
  project_amount text not null,
  tender_time timestamptz not null,
  content text,
  parameters text,
  trade text not null,
  licensing text not null,
  product text,
  b_product text[] not null,
  b_file text[],
  file text,
  closed boolean not null default false,
  deleted boolean not null default false,
  verdict smallint not null default 0 check (verdict in (0, 1, 2)),
  ps text,
  -- the submitter at the messaging platform, once it is known
  open_id text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- The list is asked for by state, newest first.
create index report_newest on reporting.report (deleted, created_at, id);
create index report_newest_of_state on reporting.report (deleted, closed, created_at, id);
create index report_newest_of_trade on reporting.report (trade, deleted, created_at, id);
-- The columns by which people sort a list; by any other, the matching reports are read and sorted.
create index report_by_update on reporting.report (deleted, updated_at, id);
create index report_by_tender on reporting.report (deleted, tender_time, id);
create index report_by_name on reporting.report (deleted, name, id);
create index report_by_company on reporting.report (deleted, company, id);
-- Without a pending list: it would make a search after many submissions slower than one after few.
create index report_name_grams on reporting.report using gin (platform.grams(name)) with (fastupdate = off);
create index report_company_grams on reporting.report using gin (platform.grams(company)) with (fastupdate = off);

-- How many reports each day and state has, so that an exact total of a list costs as many rows as there are days.
-- Days are those of the time zone on the wire: a filter by day, month or year is then whole days. A day's count is
-- spread over slots, so that submissions at once do not wait for one row; slot 0 is what was put together.
create table reporting.report_tally (
  day date not null,
  deleted boolean not null,
  closed boolean not null,
  slot smallint not null,
  reports bigint not null,
  primary key (day, deleted, closed, slot)
) with (fillfactor = 50);

create table reporting.tally_zone (
  only_row boolean primary key default true check (only_row),
  zone text not null
);
insert into reporting.tally_zone (zone) values ('Asia/Shanghai');

-- The same by industry, the other filter of a list that can hit a great part of all reports.
create table reporting.trade_tally (
  trade text not null,
  deleted boolean not null,
  closed boolean not null,
  slot smallint not null,
  reports bigint not null,
  primary key (trade, deleted, closed, slot)
) with (fillfactor = 50);

-- Rows are taken in the order of the keys, so that two transactions cannot wait for each other.
create function reporting.tally_inserted() returns trigger language plpgsql as $$
begin
  insert into reporting.report_tally as tally (day, deleted, closed, slot, reports)
  select (created_at at time zone zone)::date, deleted, closed, 1 + pg_backend_pid() % 16, count(*)
  from added, reporting.tally_zone group by 1, 2, 3 order by 1, 2, 3
  on conflict (day, deleted, closed, slot) do update set reports = tally.reports + excluded.reports;
  insert into reporting.trade_tally as tally (trade, deleted, closed, slot, reports)
  select trade, deleted, closed, 1 + pg_backend_pid() % 16, count(*) from added group by 1, 2, 3 order by 1, 2, 3
  on conflict (trade, deleted, closed, slot) do update set reports = tally.reports + excluded.reports;
  return null;
end $$;

create function reporting.tally_updated() returns trigger language plpgsql as $$
begin
  insert into reporting.report_tally as tally (day, deleted, closed, slot, reports)
  select (created_at at time zone zone)::date, deleted, closed, 1 + pg_backend_pid() % 16, sum(change)
  from (
    select created_at, deleted, closed, 1 as change from after_change
    union all
    select created_at, deleted, closed, -1 from before_change
  ) as changes, reporting.tally_zone
  group by 1, 2, 3 having sum(change) <> 0 order by 1, 2, 3
  on conflict (day, deleted, closed, slot) do update set reports = tally.reports + excluded.reports;
  insert into reporting.trade_tally as tally (trade, deleted, closed, slot, reports)
  select trade, deleted, closed, 1 + pg_backend_pid() % 16, sum(change)
  from (
    select trade, deleted, closed, 1 as change from after_change
    union all
    select trade, deleted, closed, -1 from before_change
  ) as changes
  group by 1, 2, 3 having sum(change) <> 0 order by 1, 2, 3
  on conflict (trade, deleted, closed, slot) do update set reports = tally.reports + excluded.reports;
  return null;
end $$;

create function reporting.tally_removed() returns trigger language plpgsql as $$
begin
  insert into reporting.report_tally as tally (day, deleted, closed, slot, reports)
  select (created_at at time zone zone)::date, deleted, closed, 1 + pg_backend_pid() % 16, -count(*)
  from removed, reporting.tally_zone group by 1, 2, 3 order by 1, 2, 3
  on conflict (day, deleted, closed, slot) do update set reports = tally.reports + excluded.reports;
  insert into reporting.trade_tally as tally (trade, deleted, closed, slot, reports)
  select trade, deleted, closed, 1 + pg_backend_pid() % 16, -count(*) from removed group by 1, 2, 3 order by 1, 2, 3
  on conflict (trade, deleted, closed, slot) do update set reports = tally.reports + excluded.reports;
  return null;
end $$;

create trigger report_tally_insert after insert on reporting.report
  referencing new table as added for each statement execute function reporting.tally_inserted();
create trigger report_tally_update after update on reporting.report
  referencing old table as before_change new table as after_change for each statement execute function reporting.tally_updated();
create trigger report_tally_delete after delete on reporting.report
  referencing old table as removed for each statement execute function reporting.tally_removed();

-- What a code of the messaging platform stood for: codes work once, and the page may ask before it submits.
create table reporting.known_open_id (
  code_hash bytea primary key,
  open_id text not null,
  expires_at timestamptz not null
);

-- The messages about verdicts: sent, or refused for good.
create table reporting.verdict_message (
  id bigint generated always as identity primary key,
  report_id bigint not null references reporting.report on delete cascade,
  verdict smallint not null,
  ps text,
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'refused', 'superseded')),
  -- the platform's own code, when it refused
  error_code integer,
  created_at timestamptz not null default now(),
  settled_at timestamptz
);
create index verdict_message_report on reporting.verdict_message (report_id);
