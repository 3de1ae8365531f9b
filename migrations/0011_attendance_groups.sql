-- beside: 0006

-- The 考勤组 that the rows of an import say; "" where they say none. Who stands in two of them is a person of each.
alter table attendance.punch add column group_name text not null default '';
alter table attendance.daily add column group_name text not null default '';
alter table attendance.person add column group_name text not null default '';
