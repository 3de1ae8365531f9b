-- beside: 0006
-- outside a transaction

-- What it was for, 0014 does.
drop index concurrently if exists attendance.punch_person;
