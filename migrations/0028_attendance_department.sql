-- beside: 0006

-- How many employees of a month each department has by attendance group, how many rows other sheets have of them, and in how many
-- figures they differ from the export: whoever has a scope is told sums of these, instead of joining everybody at each call.
create table attendance.department_total (
  month text not null references attendance.month on delete cascade,
  department text not null,
  group_name text not null,
  employees integer not null,
  punches integer not null,
  identities integer not null,
  differences integer not null,
  primary key (month, department, group_name)
);

create function attendance.count_departments(counted text) returns void language sql as $$
  delete from attendance.department_total where month = counted;
  insert into attendance.department_total
  select counted, department, people.group_name, count(distinct people.employee),
    coalesce(sum(person.rows) filter (where import.sheet = 'original'), 0), count(person.import_id) filter (where import.sheet = 'work'), 0
  from (
      select employee, department, group_name from attendance.roster where month = counted
      -- a month out of an old system has results alone
      union select row, department, group_name from attendance.result where month = counted
    ) as people
    left join attendance.match on match.month = counted and match.employee = people.employee
    left join attendance.person using (import_id, person) left join attendance.import on import.id = match.import_id
  group by department, people.group_name;
  update attendance.department_total as total set differences = counted_differences
  from (
    select department, group_name, count(*)::integer as counted_differences
    from attendance.month join attendance.part using (run)
      cross join json_to_recordset(differences) as found (row integer)
      join attendance.roster on roster.month = counted and employee = found.row
    where month.month = counted and done group by department, group_name) as found
  where total.month = counted and total.department = found.department and total.group_name = found.group_name;
$$;

-- few rows
select attendance.count_departments(month) from attendance.month;
