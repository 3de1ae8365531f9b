-- The audit log's tally becomes one of those that migration 0022 keeps: a search sums months, and hours only of the
-- months that its page lies in.

drop trigger audit_tally on platform.audit;
drop function platform.tally_audit;
drop table platform.audit_tally, platform.audit_tally_detail, platform.audit_tally_addition;

select platform.keep_tallies('platform.audit', 'at', '''UTC''', '{hour, month}', '{
  "audit_tally": {"of": [], "split": ["service"]},
  "audit_tally_detail": {"of": [], "split": ["service", "user_name", "action"]}}');
