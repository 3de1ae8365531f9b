-- beside: 0006

-- Columns of leave and overtime that no field takes, as {heading: text}; of a version their headings in order.
alter table attendance.result add column extra json not null default '{}';
alter table attendance.version_row add column extra json not null default '{}';
alter table attendance.version add column extra json not null default '[]';
