-- beside: 0026
-- outside a transaction
-- Refusals and failures are few beside what was done.
create index concurrently if not exists audit_not_done on platform.audit (at desc, id desc) where outcome <> 'done';
