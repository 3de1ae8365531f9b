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
  primary key (version_id, row)
);

-- The version that a locked month is frozen at.
alter table attendance.month add column version_id bigint references attendance.version;

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
