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
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  -- the process that imports says twice a second that it is still there
  alive_at timestamptz not null default now(),
  outcome text check (outcome in ('done', 'failed')),
  -- [{zh, en}] and [{row, field, zh, en}]
  warnings json not null default '[]',
  errors json not null default '[]',
  -- whether rows of it may be there
  holds_rows boolean not null default true,
  check ((ended_at is null) = (outcome is null))
);
create index import_holding on attendance.import (id) where holds_rows;

create sequence attendance.run;

create table attendance.month (
  month text primary key check (month ~ '^[1-9]\d{3}-(0[1-9]|1[0-2])$'),
  month_import bigint references attendance.import,
  original_import bigint references attendance.import,
  work_import bigint references attendance.import,
  -- the identity cards that the run joined, which may be another month's
  identity_import bigint references attendance.import,
  -- when the month sheet was imported
  imported_at timestamptz,
  statu smallint not null default 0 check (statu in (0, 1, 2, 3)),
  -- the analysis under way or finished; a part that belongs to another has nothing to do
  run bigint,
  settings json,
  -- how many parts the run has, once people are joined
  parts integer,
  warnings json not null default '[]',
  analysed_at timestamptz
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
  slots json not null
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
  primary key (run, part)
);

create table attendance.result (
  month text not null references attendance.month on delete cascade,
  row integer not null,
  name text not null,
  user_id text not null,
  work_number text not null,
  group_name text not null,
  department text not null,
  -- the summary row as it goes out, key for key
  data json not null,
  warnings json not null,
  primary key (month, row)
);
-- Few rows have any, and whoever asks for the status wants them.
create index result_warned on attendance.result (month, row) where json_array_length(warnings) > 0;

create table attendance.settings (
  only_row boolean primary key default true check (only_row),
  campuses json not null,
  bucket_edges integer[] not null
);
