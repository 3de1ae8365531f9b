-- beside: 0006

-- Rows of months that came from an old system, by the id that they had there.
alter table attendance.result add column id bigint;
