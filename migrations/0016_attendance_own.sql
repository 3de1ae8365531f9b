-- beside: 0006

-- What somebody with the right to it says of an employee's day, beside what the sheets say: the analysis applies it last. Whose it is
-- stands as the sheets have it: the UserId, or where there is none the work number, and the group where several rows of the
-- month share the UserId.
create table attendance.correction (
  id bigint generated always as identity primary key,
  month text not null references attendance.month on delete cascade,
  user_id text not null,
  work_number text not null,
  group_name text not null,
  name text not null,
  day date not null,
  kind text not null check (kind in ('present', 'onTime', 'leave', 'none')),
  -- of present: where; null: where the day counts otherwise
  campus smallint check (campus in (1, 2)),
  -- of leave
  hours numeric(4, 2),
  evidence text not null,
  -- the objection by which it was made; null: directly
  objection_id bigint,
  made_at timestamptz not null default now(),
  made_by text not null,
  undone_at timestamptz,
  undone_by text,
  reason text check (num_nulls(undone_at, undone_by, reason) in (0, 3))
);
create unique index correction_of_day on attendance.correction (month, user_id, work_number, group_name, day) where undone_at is null;
select platform.keep_changes('attendance.correction', 'id', '{id, made_at}', '{name}');

-- The corrections that the rows of a version rest on: [{zh, en}].
alter table attendance.version add column corrections json not null default '[]';

-- What employees say is wrong with a day of theirs.
create table attendance.objection (
  id bigint generated always as identity primary key,
  month text not null references attendance.month on delete cascade,
  user_id text not null,
  work_number text not null,
  group_name text not null,
  name text not null,
  day date not null,
  kind text not null check (kind in ('forgot', 'outside', 'leave', 'system', 'other')),
  text text not null,
  files text[] not null,
  -- [{slot, time}], as the employee says them
  punches json not null,
  state text not null default 'open' check (state in ('open', 'accepted', 'refused')),
  made_at timestamptz not null default now(),
  judged_at timestamptz,
  judged_by text,
  note text
);
create unique index objection_of_day on attendance.objection (month, user_id, work_number, group_name, day) where state = 'open';
create index objection_person on attendance.objection (user_id, work_number);
create index objection_age on attendance.objection (state, id);

-- Whose uploads are, so that nobody names another's.
create table attendance.own_file (
  name text primary key references platform.upload on delete cascade,
  employee text not null
);

-- That somebody has seen the row and finds it right. It holds as long as the row is the one that was seen, which `digest` tells.
create table attendance.confirmation (
  month text not null references attendance.month on delete cascade,
  user_id text not null,
  work_number text not null,
  group_name text not null,
  digest text not null,
  confirmed_at timestamptz not null default now(),
  primary key (month, user_id, work_number, group_name)
);
