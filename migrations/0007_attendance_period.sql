-- beside: 0006

-- The day on which the days of a month begin: 1, or else that day of the month before. A month keeps the one by which it
-- was imported.
alter table attendance.month add column period_start smallint not null default 1;
