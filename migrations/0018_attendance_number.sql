-- beside: 0006
-- outside a transaction

-- An employee is looked for by work number in all months.
create index concurrently if not exists roster_number on attendance.roster (work_number);
