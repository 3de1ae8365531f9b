-- beside: 0026
-- outside a transaction
-- What was done to a record.
create index concurrently if not exists audit_records on platform.audit using gin (records);
