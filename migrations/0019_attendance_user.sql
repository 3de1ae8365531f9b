-- beside: 0006
-- outside a transaction

-- And where nobody has that number, by UserId.
create index concurrently if not exists roster_user on attendance.roster (user_id);
