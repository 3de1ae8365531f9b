-- Attendance: what the sheets of a month say, which import of them counts, and what the analysis makes of it.
--
-- The rows of an import carry its number. They are copied in first and count for nothing until the month names that
-- import, which is one update; so a month changes whole or not at all, and readers see the old one until then. Rows that
-- no month names any more are removed afterwards.

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
  -- the process that imports says twice a second that it is still there
  alive_at timestamptz not null default now(),
  outcome text check (outcome in ('done', 'failed')),
  -- [{zh, en}] and [{row, field, zh, en}]
  warnings json not null default '[]',
  errors json not null default '[]',
  -- what it told of the month as it was then; `warnings` are of the file, and stay true
  month_warnings json not null default '[]',
  -- whether rows of it may be there
  holds_rows boolean not null default true,
  check ((ended_at is null) = (outcome is null))
);
create index import_holding on attendance.import (id) where holds_rows;

create sequence attendance.run;

create table attendance.month (
  month text primary key check (month ~ '^[1-9]\d{3}-(0[1-9]|1[0-2])$'),
  work_import bigint references attendance.import,
  -- the identity cards that the run joined, which may be another month's
  identity_import bigint references attendance.import,
  -- when the month sheet was imported
  imported_at timestamptz,
  statu smallint not null default 0 check (statu in (0, 1, 2, 3)),
  employees integer not null default 0,
  punches bigint not null default 0,
  -- the analysis under way or finished; a part that belongs to another has nothing to do
  run bigint,
  settings json,
  -- how many parts the run has, once people are joined
  parts integer,
  warnings json not null default '[]',
  analysed_at timestamptz,
  -- the version that a locked month is frozen at
  version_id bigint
);

-- A month is put together out of several exports: weekly ones add up, and a later one takes days over from those before.
--
-- A span says which days of a month an import gives of a sheet. No two spans of a sheet share a day, so a reader finds
-- each day's rows under one import; taking days over is a change of spans, and no row is copied.

create table attendance.span (
  month text not null references attendance.month on delete cascade,
  sheet text not null check (sheet in ('month', 'daily', 'original')),
  first_day date not null,
  last_day date not null,
  import_id bigint not null references attendance.import,
  check (first_day <= last_day),
  primary key (month, sheet, first_day)
);
create index span_import on attendance.span (import_id);

-- The employees of a month, each with the rows that the month's sheets have of them: the n-th import and the n-th row
-- belong together, in the order of their days.
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
-- The cards of a person are looked up like their punches.
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

-- A result is some 4 kB. Made smaller on its way in, it would cost the database a tenth of the whole analysis, and is made
-- large again for every download; a page holds two as they are.
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
-- Few rows have any, and whoever asks for the status wants them.
create index result_warned on attendance.result (month, row) where json_array_length(warnings) > 0;

create table attendance.settings (
  only_row boolean primary key default true check (only_row),
  campuses json not null,
  bucket_edges integer[] not null
);
select platform.keep_changes('attendance.settings', 'only_row', '{only_row}');

-- A finished month can be locked: its rows are kept as a version, whatever happens to the month afterwards. And a person
-- whom the rules find nobody for can be settled as an employee, for the imports to come too.

create table attendance.version (
  id bigint generated always as identity primary key,
  month text not null references attendance.month,
  -- 1 for the first of the month
  number integer not null,
  note text not null,
  employees integer not null,
  settings json not null,
  -- the units of the copied columns, for the headings of its workbook
  units json not null,
  covered json not null,
  -- what its figures rest on, [{zh, en}]
  warnings json not null,
  locked_at timestamptz not null default now(),
  locked_by text not null,
  unlocked_at timestamptz,
  unlocked_by text,
  reason text,
  check (num_nulls(unlocked_at, unlocked_by, reason) in (0, 3)),
  unique (month, number)
);

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

alter table attendance.month add foreign key (version_id) references attendance.version;
select platform.keep_changes('attendance.version', 'month', '{id}');

-- Decisions of people; "" as the employee's UserId: nobody.
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
