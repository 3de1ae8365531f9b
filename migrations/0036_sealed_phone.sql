-- beside: 0029
-- outside a transaction
create index concurrently if not exists report_phone_found on reporting.report (phone_found) where phone_found is not null;
