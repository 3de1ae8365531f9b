-- beside: 0006
-- outside a transaction

-- Whoever shares number and name with somebody is told apart by the rows themselves: a shorter index takes less of an import.
create index concurrently if not exists punch_owner on attendance.punch (import_id, user_id, name);
