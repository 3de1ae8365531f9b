-- The rows of an import carry its number, and count for nothing until the month names it: so a month changes whole or not
-- at all, and readers see the old one until then. Rows that no month names any more are removed afterwards.

create schema attendance;

create table attendance.import (
  id bigint generated always as identity primary key,
  sheet text not null check (sheet in ('month', 'original', 'work')),
  file_name text not null,
  month text,
  phase text not null default 'waiting' check (phase in ('waiting', 'reading', 'storing', 'done')),
  bytes_read bigint not null default 0,
  bytes_total bigint not null,
  rows bigint not null default 0,
  skipped bigint not null default 0,
  employees integer not null default 0,
  -- the days that its month sheet is of, which may go beyond the month
  first_day date,
  last_day date,
  -- of the copied columns that hold figures: {field: {unit, writing}}
  figures json not null default '{}',
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  -- set twice a second by the process that imports
  alive_at timestamptz not null default now(),
  outcome text check (outcome in ('done', 'failed')) check ((ended_at is null) = (outcome is null)),
  -- [{zh, en}] and [{row, field, zh, en}]
  warnings json not null default '[]',
  errors json not null default '[]',
  -- what it told of the month as it was then; `warnings` are of the file, and stay true
  month_warnings json not null default '[]',
  holds_rows boolean not null default true
);
create index import_holding on attendance.import (id) where holds_rows;

create sequence attendance.run;
create table attendance.month (
  month text primary key check (month ~ '^[1-9]\d{3}-(0[1-9]|1[0-2])$'),
  work_import bigint references attendance.import,
  -- the identity cards that the run joined, which may be another month's
  identity_import bigint references attendance.import,
  imported_at timestamptz,
  statu smallint not null default 0 check (statu in (0, 1, 2, 3)),
  employees integer not null default 0,
  punches bigint not null default 0,
  -- the analysis under way or finished; a part that belongs to another has nothing to do
  run bigint,
  settings json,
  parts integer,
  warnings json not null default '[]',
  analysed_at timestamptz,
  -- null: not locked
  version_id bigint
);

-- Which days of a month an import gives of a sheet. No two spans of a sheet share a day, so a reader finds each day's rows
-- under one import; a later export takes days over by a change of spans, and no row is copied.
create table attendance.span (
  month text not null references attendance.month on delete cascade,
  sheet text not null check (sheet in ('month', 'daily', 'original')),
  first_day date not null,
  last_day date not null check (first_day <= last_day),
  import_id bigint not null references attendance.import,
  primary key (month, sheet, first_day)
);
create index span_import on attendance.span (import_id);

-- Where the month's sheets have an employee: the n-th import and the n-th row belong together, in the order of their days.
create table attendance.roster (
  month text not null references attendance.month on delete cascade,
  employee integer not null,
  name text not null,
  user_id text not null,
  work_number text not null,
  group_name text not null,
  department text not null,
  imports bigint[] not null,
  rows integer[] not null,
  primary key (month, employee)
);

-- The employees of 月度汇总.
create table attendance.employee (
  import_id bigint not null,
  row integer not null,
  name text not null,
  user_id text not null,
  work_number text not null,
  group_name text not null,
  department text not null,
  copied json not null,
  days json not null,
  primary key (import_id, row)
);

-- Whoever copies rows in has set attendance.import_id: the reader's lines, which are copied as they are, do not know it.
create table attendance.daily (
  import_id bigint not null default (current_setting('attendance.import_id')::bigint),
  row integer not null,
  name text not null,
  user_id text not null,
  work_number text not null,
  day date not null,
  shift text not null,
  slots json not null,
  -- a whole 旷工天数 of 每日统计
  absent boolean not null default false
);
create index daily_person on attendance.daily (import_id, user_id, work_number, name);

create table attendance.punch (
  import_id bigint not null default (current_setting('attendance.import_id')::bigint),
  row integer not null,
  name text not null,
  user_id text not null,
  work_number text not null,
  day date not null,
  scheduled timestamp,
  time timestamp,
  result text not null,
  address text not null
);
create index punch_person on attendance.punch (import_id, user_id, work_number, name);

create table attendance.identity (
  import_id bigint not null,
  row integer not null,
  name text not null,
  user_id text not null,
  work_number text not null,
  id_card text not null,
  primary key (import_id, row)
);
create index identity_person on attendance.identity (import_id, user_id, work_number, name);

-- Who the rows of an import are about: of 每日统计, 原始记录 or the identity sheet.
create table attendance.person (
  import_id bigint not null,
  person integer not null,
  name text not null,
  user_id text not null,
  work_number text not null,
  rows integer not null,
  primary key (import_id, person)
);

-- Which employee of the month each of them is, for the analysis under way.
create table attendance.match (
  month text not null references attendance.month on delete cascade,
  import_id bigint not null,
  person integer not null,
  employee integer not null,
  -- by userId, workNum or name, or settled by hand
  found_by text,
  primary key (month, import_id, employee, person)
);

create table attendance.part (
  run bigint not null,
  part integer not null,
  month text not null references attendance.month on delete cascade,
  first_row integer not null,
  last_row integer not null,
  employees integer not null,
  done boolean not null default false,
  -- those that no campus's keyword stands in, with their punches: [[address, count], …], most first
  addresses json not null default '[]',
  primary key (run, part)
);

-- A result is some 4 kB, and a page holds two. Compressed, it would cost the database a tenth of the whole analysis.
create table attendance.result (
  month text not null references attendance.month on delete cascade,
  row integer not null,
  name text not null,
  user_id text not null,
  work_number text not null,
  group_name text not null,
  department text not null,
  -- the summary row as it goes out, key for key, but for the identity card, which is empty there
  data json not null,
  id_card text not null default '',
  warnings json not null,
  primary key (month, row)
) with (toast_tuple_target = 8160);
create index result_warned on attendance.result (month, row) where json_array_length(warnings) > 0;

create table attendance.settings (
  only_row boolean primary key default true check (only_row),
  campuses json not null,
  bucket_edges integer[] not null
);
select platform.keep_changes('attendance.settings', 'only_row', '{only_row}');

create table attendance.version (
  id bigint generated always as identity primary key,
  month text not null references attendance.month,
  number integer not null,
  note text not null,
  employees integer not null,
  settings json not null,
  -- the units of the copied columns, for the headings of its workbook
  units json not null,
  covered json not null,
  warnings json not null,
  locked_at timestamptz not null default now(),
  locked_by text not null,
  unlocked_at timestamptz,
  unlocked_by text,
  reason text check (num_nulls(unlocked_at, unlocked_by, reason) in (0, 3)),
  unique (month, number)
);
alter table attendance.month add foreign key (version_id) references attendance.version;
select platform.keep_changes('attendance.version', 'month', '{id}');

create table attendance.version_row (
  version_id bigint not null references attendance.version on delete cascade,
  row integer not null,
  name text not null,
  user_id text not null,
  work_number text not null,
  group_name text not null,
  department text not null,
  data json not null,
  id_card text not null default '',
  primary key (version_id, row)
);

-- As which employee somebody whom the rules find nobody for was settled, for the imports to come too; UserId "": nobody.
create table attendance.settled (
  sheet text not null check (sheet in ('month', 'daily', 'original', 'work')),
  name text not null,
  user_id text not null,
  work_number text not null,
  employee_user_id text not null,
  -- where several rows of a month have that UserId
  employee_group text not null default '',
  settled_at timestamptz not null default now(),
  settled_by text not null,
  primary key (sheet, name, user_id, work_number)
);
select platform.keep_changes('attendance.settled', 'work_number', '{}', '{name}');
