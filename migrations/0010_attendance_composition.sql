-- A month is put together out of several exports: weekly ones add up, and a later one takes days over from those before.
--
-- A span says which days of a month an import gives of a sheet. No two spans of a sheet share a day, so a reader finds
-- each day's rows under one import; taking days over is a change of spans, and no row is copied. As before, the rows of
-- imports that no month names any more are removed afterwards.

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

alter table attendance.import
  -- the days that its month sheet is of, which may go beyond the month
  add column first_day date,
  add column last_day date,
  -- of the copied columns that hold figures: {field: {unit, writing}}
  add column figures json not null default '{}',
  -- what it told of the month as it was then; `warnings` are of the file, and stay true
  add column month_warnings json not null default '[]';

alter table attendance.month
  add column employees integer not null default 0,
  add column punches bigint not null default 0;

-- A whole 旷工天数 of 每日统计.
alter table attendance.daily add column absent boolean not null default false;

-- How a person of another sheet was found to be that employee: by userId, workNum or name, or settled by hand. Null for
-- what was joined before this was kept.
alter table attendance.match add column found_by text;

-- Addresses that no campus's keyword stands in, with their punches: [[address, count], …], most first.
alter table attendance.part add column addresses json not null default '[]';

-- What is stored was imported as whole months.
insert into attendance.span (month, sheet, first_day, last_day, import_id)
select month.month, sheet, first_day, (first_day + interval '1 month - 1 day')::date, import_id
from attendance.month
  cross join lateral (select (month.month || '-01')::date as first_day) as range
  cross join lateral (values ('month', month_import), ('original', original_import),
    ('daily', (select month_import where exists (select from attendance.daily where import_id = month_import)))) as named (sheet, import_id)
where import_id is not null;

update attendance.import set first_day = span.first_day, last_day = span.last_day
from attendance.span where span.import_id = import.id and span.sheet = import.sheet;

insert into attendance.roster (month, employee, name, user_id, work_number, group_name, department, imports, rows)
select month, row, name, user_id, work_number, group_name, department, array[import_id], array[row]
from attendance.month join attendance.employee on import_id = month_import;

update attendance.month set
  employees = coalesce((select employees from attendance.import where id = month_import), 0),
  punches = coalesce((select rows from attendance.import where id = original_import), 0);

alter table attendance.month drop column month_import, drop column original_import;
